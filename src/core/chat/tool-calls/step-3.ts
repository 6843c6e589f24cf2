import type { ToolCallFormat } from './format.ts';
import { createSectionParser } from './section-parser.ts';
import { readTaggedCall, type TaggedCallSyntax } from './tagged-calls.ts';
import { taggedConstraint } from './tagged-notation.ts';
import { writeTaggedCall } from './write-calls.ts';

const beginMarker = '<｜tool_calls_begin｜>';
const endMarker = '<｜tool_calls_end｜>';
const openMarker = '<｜tool_call_begin｜>';
const closeMarker = '<｜tool_call_end｜>';
const separator = '<｜tool_sep｜>';
const openTag = '<steptml:invoke name="';

const syntax: TaggedCallSyntax = {
  nameEnd: ['">'],
  parameterOpen: '<steptml:parameter name="',
  parameterNameEnd: ['">'],
  parameterClose: '</steptml:parameter>',
  callClose: '</steptml:invoke>',
  hasPaddedValues: false,
};

const frame = {
  open: `${openMarker}function${separator}${openTag}`,
  close: closeMarker,
  separator: '',
};

/** XML elements of a namespace of their own between markers. */
export const step3Format: ToolCallFormat = {
  name: 'step-3',
  example: `${beginMarker}${openMarker}function${separator}${openTag}get_weather"><steptml:parameter name="city">Paris</steptml:parameter></steptml:invoke>${closeMarker}${endMarker}`,
  families: [{ name: 'Step 3', models: ['Step 3'] }],
  parallel: true,
  markers: [beginMarker, endMarker, openMarker, closeMarker, separator],
  openers: [beginMarker, openMarker],
  createParser: createSectionParser({
    begin: [beginMarker],
    open: [openMarker],
    close: [closeMarker],
    end: [endMarker],
    *readCalls(input) {
      yield* input.takeSpace();
      yield* input.takeAny(['function']);
      yield* input.takeAny([separator]);
      yield* input.takeSpace();
      if ((yield* input.takeAny([openTag])) === null) input.giveUp();
      else yield* readTaggedCall(input, syntax);
    },
  }),
  detect: ({ template }) => template.includes('steptml:invoke') || template.includes(beginMarker),
  constraint: taggedConstraint(
    syntax,
    { ...frame, begin: beginMarker, end: endMarker },
    { ...frame, trigger: openMarker },
  ),
  write: (calls) =>
    `${beginMarker}${calls.map((call) => `${openMarker}function${separator}${openTag}${writeTaggedCall(call, syntax)}${closeMarker}`).join('')}${endMarker}`,
};
