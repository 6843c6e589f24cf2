import type { ToolCallFormat } from './format.ts';
import { jsonCallFrame, readJsonCalls } from './json-calls.ts';
import { createSectionParser } from './section-parser.ts';
import { readTaggedCall, type TaggedCallSyntax } from './tagged-calls.ts';

const openTag = '<longcat_tool_call>';
const closeTag = '</longcat_tool_call>';

const syntax: TaggedCallSyntax = {
  nameEnd: [],
  parameterOpen: '<longcat_arg_key>',
  parameterNameEnd: ['</longcat_arg_key>', '<longcat_arg_value>'],
  parameterClose: '</longcat_arg_value>',
  callClose: closeTag,
  hasPaddedValues: false,
};

/** A JSON object between tags; newer models write tags for keys and values there. */
export const longcatFormat: ToolCallFormat = {
  name: 'longcat',
  example: `${openTag}\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n${closeTag}`,
  families: [{ name: 'LongCat', models: ['LongCat Flash Chat', 'LongCat Flash Thinking'] }],
  parallel: true,
  markers: [
    openTag,
    closeTag,
    '<longcat_arg_key>',
    '</longcat_arg_key>',
    '<longcat_arg_value>',
    '</longcat_arg_value>',
  ],
  openers: [openTag],
  createParser: createSectionParser({
    open: [openTag],
    end: [closeTag],
    *readCalls(input) {
      yield* input.takeSpace();
      if ((yield* input.peekAny(['{'])) === null) yield* readTaggedCall(input, syntax);
      else yield* readJsonCalls(input);
    },
  }),
  detect: ({ template }) => template.includes(openTag),
  constraint: {
    trigger: openTag,
    begin: '',
    call: (name) => {
      const { prefix, suffix } = jsonCallFrame(name);
      return { prefix: `${openTag}\n${prefix}`, suffix: `${suffix}\n${closeTag}` };
    },
    separator: '',
    end: '',
  },
};
