import type { ToolCallFormat } from './format.ts';
import { writeTaggedCall } from './write-calls.ts';
import { createSectionParser } from './section-parser.ts';
import { readTaggedCall, type TaggedCallSyntax } from './tagged-calls.ts';
import { taggedConstraint } from './tagged-notation.ts';

const openTag = '<tool_call>';
const closeTag = '</tool_call>';

const syntax: TaggedCallSyntax = {
  nameEnd: [],
  parameterOpen: '<arg_key>',
  parameterNameEnd: ['</arg_key>', '<arg_value>'],
  parameterClose: '</arg_value>',
  callClose: closeTag,
  hasPaddedValues: false,
};

/** The name, then a tag for each parameter's name and one for its value. */
export const glmFormat: ToolCallFormat = {
  name: 'glm-4.5',
  example: '<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Paris</arg_value>\n</tool_call>',
  families: [{ name: 'GLM', models: ['GLM-4.5', 'GLM-4.5-Air', 'GLM-4.6', 'GLM-4.7'] }],
  parallel: true,
  markers: [openTag, closeTag, '<arg_key>', '</arg_key>', '<arg_value>', '</arg_value>'],
  openers: [openTag],
  createParser: createSectionParser({
    open: [openTag],
    *readCalls(input) {
      yield* input.takeSpace();
      yield* readTaggedCall(input, syntax);
    },
  }),
  constraint: taggedConstraint(syntax, { open: openTag }),
  write: (calls) => calls.map((call) => openTag + writeTaggedCall(call, syntax)).join('\n'),
  detect: ({ template }) => template.includes('<arg_key>'),
};
