import type { ToolCallFormat } from './format.ts';
import { jsonCallFrame, readJsonCalls } from './json-calls.ts';
import { createSectionParser } from './section-parser.ts';
import { readTaggedCall, type TaggedCallSyntax } from './tagged-calls.ts';
import { taggedConstraint } from './tagged-notation.ts';
import { writeTaggedCall } from './write-calls.ts';

const beginTag = '<ifm|tool_calls>';
const endTag = '</ifm|tool_calls>';
const openTag = '<ifm|tool_call>';
const closeTag = '</ifm|tool_call>';
const typeTags = ['<ifm|arg_type>', '</ifm|arg_type>'] as const;

const syntax: TaggedCallSyntax = {
  nameEnd: [],
  parameterOpen: '<ifm|arg_key>',
  parameterNameEnd: ['</ifm|arg_key>', '<ifm|arg_value>'],
  parameterClose: '</ifm|arg_value>',
  callClose: closeTag,
  hasPaddedValues: false,
  typeTags,
};

const taggedCalls = taggedConstraint(
  syntax,
  { begin: `${beginTag}\n`, open: openTag, end: `\n${endTag}` },
  { open: openTag },
);

/** The name, then a tag for each parameter's name, perhaps one for its type, and one for its value; or a JSON object. */
export const k2HorizonFormat: ToolCallFormat = {
  name: 'k2-horizon',
  example: `${beginTag}\n${openTag}get_weather\n<ifm|arg_key>city</ifm|arg_key>\n<ifm|arg_value>Paris</ifm|arg_value>\n${closeTag}\n${endTag}`,
  families: [{ name: 'K2 Horizon', models: ['K2-Horizon'] }],
  parallel: true,
  markers: [
    beginTag,
    endTag,
    openTag,
    closeTag,
    ...typeTags,
    '<ifm|arg_key>',
    '</ifm|arg_key>',
    '<ifm|arg_value>',
    '</ifm|arg_value>',
  ],
  openers: [beginTag, openTag],
  createParser: createSectionParser({
    begin: [beginTag],
    open: [openTag],
    close: [closeTag],
    end: [endTag],
    *readCalls(input) {
      yield* input.takeSpace();
      if ((yield* input.peekAny(['{'])) === null) yield* readTaggedCall(input, syntax);
      else yield* readJsonCalls(input);
    },
  }),
  constraint: {
    ...taggedCalls,
    others: [
      ...(taggedCalls.others ?? []),
      {
        trigger: beginTag,
        begin: `${beginTag}\n`,
        call: (name) => {
          const { prefix, suffix } = jsonCallFrame(name);
          return { prefix: `${openTag}\n${prefix}`, suffix: `${suffix}\n${closeTag}` };
        },
        separator: '\n',
        end: `\n${endTag}`,
        isLoose: true,
      },
    ],
  },
  write: (calls) =>
    `${beginTag}\n${calls.map((call) => `${openTag}${writeTaggedCall(call, syntax)}\n`).join('')}${endTag}`,
  detect: ({ template, hasToken }) => template.includes(beginTag) || hasToken(beginTag),
};
