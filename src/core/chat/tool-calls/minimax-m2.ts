import type { ToolCallFormat } from './format.ts';
import { writeTaggedCall } from './write-calls.ts';
import { createSectionParser } from './section-parser.ts';
import { readTaggedCall, type TaggedCallSyntax } from './tagged-calls.ts';
import { taggedConstraint } from './tagged-notation.ts';

const beginMarker = '<minimax:tool_call>';
const endMarker = '</minimax:tool_call>';
const openTag = '<invoke name="';

const syntax: TaggedCallSyntax = {
  nameEnd: ['">'],
  parameterOpen: '<parameter name="',
  parameterNameEnd: ['">'],
  parameterClose: '</parameter>',
  callClose: '</invoke>',
  hasPaddedValues: false,
};

/** XML elements for calls and parameters, with values as plain text. */
export const minimaxM2Format: ToolCallFormat = {
  name: 'minimax-m2',
  example:
    '<minimax:tool_call>\n<invoke name="get_weather">\n<parameter name="city">Paris</parameter>\n</invoke>\n</minimax:tool_call>',
  families: [{ name: 'MiniMax', models: ['MiniMax M2', 'MiniMax M2.1'] }],
  parallel: true,
  markers: [beginMarker, endMarker],
  openers: [beginMarker],
  createParser: createSectionParser({
    begin: [beginMarker],
    open: [openTag],
    end: [endMarker],
    readCalls: (input) => readTaggedCall(input, syntax),
  }),
  constraint: taggedConstraint(
    syntax,
    { begin: `${beginMarker}\n`, open: openTag, end: `\n${endMarker}` },
    { open: openTag },
  ),
  write: (calls) =>
    `${beginMarker}\n${calls.map((call) => `${openTag}${writeTaggedCall(call, syntax)}\n`).join('')}${endMarker}`,
  detect: ({ template }) => template.includes(beginMarker),
};
