import type { ToolDefinition } from '../messages.ts';
import type { AnswerInput, Reading } from './answer-input.ts';
import { defineFormat } from './define-format.ts';
import type { ToolCallConstraint } from './format.ts';
import { readName } from './json-calls.ts';
import { readTaggedCall, type TaggedCallSyntax } from './tagged-calls.ts';
import { taggedConstraint } from './tagged-notation.ts';
import { writeTaggedArguments } from './write-calls.ts';

/** Begins a message; a prompt ends with it, so that a first message begins with its recipient. */
export const museGlimmerStart = '<|start|>assistant';
const recipients = ['to=', ' to='];
const messageMarker = '<|message|>';
const beginTag = '<atem:function_calls>';
const endTag = '</atem:function_calls>';
const openTag = '<atem:invoke name="';

const syntax: TaggedCallSyntax = {
  toName,
  nameEnd: ['">'],
  parameterOpen: '<atem:parameter name="',
  parameterNameEnd: ['">'],
  parameterClose: '</atem:parameter>',
  callClose: '</atem:invoke>',
};

/** A message to the function, with XML elements of a namespace of their own for calls and parameters. */
export const museGlimmerFormat = defineFormat({
  name: 'muse-glimmer',
  example: ` to=get_weather${messageMarker}${beginTag}\n${openTag}get_weather">\n<atem:parameter name="city">Paris</atem:parameter>\n</atem:invoke>\n${endTag}`,
  families: { 'Muse Glimmer': ['Muse Glimmer'] },
  markers: ['<|start|>', messageMarker, '<|eom|>', '<|eot|>'],
  // Thinking may quote calls: only a message to a function holds some.
  openers: [],
  calls: {
    open: [museGlimmerStart, beginTag, openTag],
    bare: recipients,
    close: [endTag, '<|eom|>'],
    end: ['<|eot|>'],
    readCalls,
  },
  constraint: {
    ...messagesTo(museGlimmerStart),
    others: [messagesTo('')],
  },
  writeArguments: (text, index) => writeTaggedArguments(text, syntax, index),
  detect: beginTag,
});

function head(start: string, name: string): string {
  return `${start} to=${name}${messageMarker}${beginTag}\n${openTag}`;
}

/** Calls of which the first has this before its recipient. */
function messagesTo(start: string): ToolCallConstraint {
  return {
    ...taggedConstraint(syntax, { open: openTag }),
    trigger: undefined,
    others: undefined,
    call: (name) => ({ prefix: head(start, name) + name, suffix: `\n${endTag}` }),
    separator: start === '' ? `<|eom|>${museGlimmerStart}` : '<|eom|>',
  };
}

function* readCalls(input: AnswerInput, marker: string): Reading {
  if (marker === museGlimmerStart || marker === '') {
    const recipient = (yield* input.takeAny(recipients)) === null ? '' : yield* readName(input);
    if (recipient === '' || (yield* input.takeAny([messageMarker])) === null) return input.giveUp();
    yield* input.takeSpace();
    if ((yield* input.takeAny([beginTag])) === null) return input.giveUp();
  }
  if (marker !== openTag) {
    yield* input.takeSpace();
    if ((yield* input.takeAny([openTag])) === null) return input.giveUp();
  }
  yield* readTaggedCall(input, syntax);
}

/** Prompts list a function `f` as `f.*`, so that models write `f.f`. */
function toName(written: string, tools: readonly ToolDefinition[]): string {
  const [first = '', second, third] = written.split('.');
  const isKnown = (name: string): boolean => tools.some((tool) => tool.name === name);
  return second === first && third === undefined && isKnown(first) && !isKnown(written) ? first : written;
}
