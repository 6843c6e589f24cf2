import type { ToolCallFormat } from './format.ts';
import { writeTaggedCall } from './write-calls.ts';
import { createSectionParser } from './section-parser.ts';
import { readTaggedCall, type TaggedCallSyntax } from './tagged-calls.ts';
import { taggedConstraint } from './tagged-notation.ts';

const beginMarkers = ['<tool_call>', '<seed:tool_call>'];
const endMarkers = ['</tool_call>', '</seed:tool_call>'];
const openTag = '<function=';

const syntax: TaggedCallSyntax = {
  nameEnd: ['>'],
  parameterOpen: '<parameter=',
  parameterNameEnd: ['>'],
  parameterClose: '</parameter>',
  callClose: '</function>',
  hasPaddedValues: true,
};

/** A tag for the function and one for each parameter, with values as plain text. */
export const qwen3CoderFormat: ToolCallFormat = {
  name: 'qwen3-coder',
  example:
    '<tool_call>\n<function=get_weather>\n<parameter=city>\nParis\n</parameter>\n</function>\n</tool_call>',
  families: [
    { name: 'Qwen3-Coder', models: ['Qwen3-Coder', 'Qwen3-Coder-Next', 'Qwen3.5'] },
    { name: 'Nemotron 3', models: ['Nemotron 3 Nano'] },
    { name: 'Seed-OSS', models: ['Seed-OSS 36B'] },
    { name: 'Step 3.5', models: ['Step 3.5 Flash'] },
    { name: 'MiMo V2', models: ['MiMo V2 Flash'] },
  ],
  parallel: true,
  markers: [...beginMarkers, ...endMarkers],
  openers: [...beginMarkers, openTag],
  createParser: createSectionParser({
    begin: beginMarkers,
    open: [openTag],
    end: endMarkers,
    readCalls: (input) => readTaggedCall(input, syntax),
  }),
  constraint: taggedConstraint(
    syntax,
    ...beginMarkers.map((begin, index) => ({
      open: `${begin}\n${openTag}`,
      close: `\n${endMarkers[index]!}`,
    })),
    { open: openTag },
  ),
  write: (calls) =>
    calls.map((call) => `<tool_call>\n${openTag}${writeTaggedCall(call, syntax)}\n</tool_call>`).join('\n'),
  detect: ({ template }) => template.includes(openTag) && template.includes('<parameter='),
};
