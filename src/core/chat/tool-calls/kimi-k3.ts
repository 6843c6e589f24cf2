import type { ToolCallFormat } from './format.ts';
import { createSectionParser } from './section-parser.ts';
import { readTaggedCall, type TaggedCallSyntax } from './tagged-calls.ts';
import { taggedConstraint } from './tagged-notation.ts';
import { writeTaggedCall } from './write-calls.ts';

const beginMarker = '<|open|>tools<|sep|>';
const endMarker = '<|close|>tools<|sep|>';
const openTag = '<|open|>call tool="';
const types = ['string', 'number', 'boolean', 'null', 'object', 'array'];

const syntax: TaggedCallSyntax = {
  nameEnd: ['<|sep|>'],
  nameAttribute: 'index',
  parameterOpen: '<|open|>argument key="',
  parameterNameEnd: ['"<|sep|>'],
  parameterClose: '<|close|>argument<|sep|>',
  callClose: '<|close|>call<|sep|>',
  hasPaddedValues: false,
  attributes: new Map<string, unknown>(types.map((type) => [`" type="${type}`, { type }])),
};

/** Elements for calls and arguments, with the types of the values. */
export const kimiK3Format: ToolCallFormat = {
  name: 'kimi-k3',
  example: `${beginMarker}${openTag}get_weather" index="1"<|sep|><|open|>argument key="city" type="string"<|sep|>Paris<|close|>argument<|sep|><|close|>call<|sep|>${endMarker}`,
  families: [{ name: 'Kimi K3', models: ['Kimi K3'] }],
  parallel: true,
  markers: ['<|open|>', '<|close|>', '<|sep|>'],
  openers: [beginMarker, openTag],
  createParser: createSectionParser({
    begin: [beginMarker],
    open: [openTag],
    end: [endMarker, '<|close|>message<|sep|>'],
    readCalls: (input) => readTaggedCall(input, syntax),
  }),
  detect: ({ template }) => template.includes('<|open|>') && template.includes('<|sep|>'),
  constraint: taggedConstraint(
    syntax,
    { begin: beginMarker, open: openTag, separator: '', end: endMarker },
    { open: openTag, separator: '' },
  ),
  write: (calls) =>
    `${beginMarker}${calls.map((call, index) => openTag + writeTaggedCall(call, syntax, index)).join('')}${endMarker}`,
};
