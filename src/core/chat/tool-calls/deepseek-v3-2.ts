import type { ToolCallFormat } from './format.ts';
import { createSectionParser } from './section-parser.ts';
import { readTaggedCall, type TaggedCallSyntax } from './tagged-calls.ts';
import { taggedConstraint } from './tagged-notation.ts';
import { writeTaggedCall } from './write-calls.ts';

const beginMarkers = ['<｜DSML｜function_calls>', '<｜DSML｜tool_calls>'];
const endMarkers = ['</｜DSML｜function_calls>', '</｜DSML｜tool_calls>'];
const openTag = '<｜DSML｜invoke name="';

const syntax: TaggedCallSyntax = {
  nameEnd: ['">'],
  parameterOpen: '<｜DSML｜parameter name="',
  parameterNameEnd: ['">'],
  parameterClose: '</｜DSML｜parameter>',
  callClose: '</｜DSML｜invoke>',
  hasPaddedValues: false,
  selfClose: ['"/>', '" />'],
  attributes: new Map<string, unknown>([
    ['" string="true', { type: 'string' }],
    ['" string="false', {}],
  ]),
};

/** Elements of a namespace of their own, whose parameters say whether they are strings. */
export const deepseekV32Format: ToolCallFormat = {
  name: 'deepseek-v3.2',
  example: `${beginMarkers[0]!}\n${openTag}get_weather">\n<｜DSML｜parameter name="city" string="true">Paris</｜DSML｜parameter>\n</｜DSML｜invoke>\n${endMarkers[0]!}`,
  families: [{ name: 'DeepSeek V3.2', models: ['DeepSeek V3.2', 'DeepSeek V3.2 Speciale', 'DeepSeek V4'] }],
  parallel: true,
  markers: ['｜DSML｜', ...beginMarkers, ...endMarkers],
  openers: [...beginMarkers, openTag],
  createParser: createSectionParser({
    begin: beginMarkers,
    open: [openTag],
    end: endMarkers,
    readCalls: (input) => readTaggedCall(input, syntax),
  }),
  detect: ({ template }) => template.includes('｜DSML｜'),
  constraint: taggedConstraint(
    syntax,
    ...beginMarkers.map((begin, index) => ({
      begin: `${begin}\n`,
      open: openTag,
      end: `\n${endMarkers[index]!}`,
    })),
    { open: openTag },
  ),
  write: (calls) =>
    `${beginMarkers[0]!}\n${calls.map((call) => `${openTag}${writeTaggedCall(call, syntax)}\n`).join('')}${endMarkers[0]!}`,
};
