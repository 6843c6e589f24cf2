import { Validator, type Schema } from '@cfworker/json-schema';
import { describe, expect, test } from 'vitest';
import { createAnswerParser, type AnswerEvent } from '../../../src/core/chat/answer-parser.ts';
import { knownFormats } from '../chat/tool-calls/known-formats.ts';
import type { CallConstraint } from '../../../src/core/grammar/constraint.ts';
import type { ToolCallFormat } from '../../../src/core/chat/tool-calls/format.ts';
import { parsePieces } from '../chat/tool-calls/items.ts';
import { someRows } from '../../thorough.ts';
import { acceptor, closers, jsonPieces, randomWalk, toyVocabulary } from './walk.ts';
import { answerGrammar, compileGrammar } from './all-at-once.ts';

/** Texts that mean something in some format. */
const markers = [
  '</parameter>',
  '</parameter>\n</function>',
  '<tool_call>',
  '</arg_value>',
  '<|"|>',
  '<escape>',
  ']<]minimax[>[',
  '<|close|>argument<|sep|>',
  '```',
  '")',
  "')",
  '>>>add\n',
  '}',
  '\\',
  'null',
  '12',
  ' [1] ',
];

const closed = { additionalProperties: false } as const;
const schemas: Readonly<Record<string, Schema>> = {
  plain: {
    type: 'object',
    properties: { city: { type: 'string' }, days: { type: 'integer', minimum: 1, maximum: 7 } },
    required: ['city'],
    ...closed,
  },
  scalars: {
    type: 'object',
    properties: {
      ratio: { type: 'number', exclusiveMinimum: -2.5, maximum: 10 },
      even: { type: 'integer', multipleOf: 2 },
      isOn: { type: 'boolean' },
      nothing: { type: 'null' },
      id: { type: 'string', pattern: '^[a-z]{2}-[0-9]{1,3}$' },
      short: { type: 'string', minLength: 2, maxLength: 4 },
      when: { type: 'string', format: 'date' },
    },
    required: ['ratio', 'even', 'isOn', 'id', 'short'],
    ...closed,
  },
  enums: {
    type: 'object',
    properties: {
      unit: { enum: ['celsius', 'fahrenheit'] },
      mixed: { enum: ['a', 1, true, null, 'null', '1', ['x'], { y: 'z' }] },
      fixed: { const: 'say "no"\nand\tmore' },
      marker: { type: 'string', enum: markers },
    },
    required: ['unit', 'mixed', 'fixed', 'marker'],
    ...closed,
  },
  nested: {
    type: 'object',
    properties: {
      place: {
        type: 'object',
        properties: {
          name: { type: 'string' },
          at: { type: 'array', items: { type: 'number' }, minItems: 2, maxItems: 2 },
          note: { enum: markers },
        },
        required: ['name', 'at', 'note'],
        ...closed,
      },
      tags: { type: 'array', items: { type: 'string', maxLength: 8 }, maxItems: 3 },
      flags: { type: 'array', items: { type: 'boolean' } },
    },
    required: ['place', 'tags'],
    ...closed,
  },
  unions: {
    type: 'object',
    properties: {
      maybe: { type: ['string', 'null'] },
      either: {
        anyOf: [
          { type: 'integer', minimum: 100 },
          { type: 'string', maxLength: 3 },
        ],
      },
      list: {
        anyOf: [{ type: 'array', items: { type: 'integer' } }, { type: 'string' }, { type: 'boolean' }],
      },
      unit: { anyOf: [{ $ref: '#/$defs/Unit' }, { type: 'null' }] },
      number: { $ref: '#/$defs/Number' },
    },
    required: ['maybe', 'either', 'list', 'unit', 'number'],
    $defs: {
      Unit: { type: 'string', enum: ['1', 'null', 'm'] },
      Number: { type: 'string', pattern: '^[0-9]+$' },
    },
    ...closed,
  },
  open: {
    type: 'object',
    properties: { any: {}, object: { type: 'object' }, list: { type: 'array' } },
    required: ['any'],
  },
  recursive: {
    type: 'object',
    properties: { value: { type: 'string' }, children: { type: 'array', items: { $ref: '#' }, maxItems: 2 } },
    required: ['value'],
    ...closed,
  },
  empty: { type: 'object', properties: {}, ...closed },
  'odd names': {
    type: 'object',
    properties: { 'user-id': { type: 'string' }, $top: { type: 'integer' }, a_1: { type: 'boolean' } },
    required: ['user-id', '$top'],
    ...closed,
  },
};

const formats = knownFormats.map((format) => [format.name, format] as const);
const cases = someRows(
  formats.flatMap(([name, format]) => Object.keys(schemas).map((schema) => [name, schema, format] as const)),
);

function toolsOf(...names: string[]): CallConstraint['tools'] {
  return names.map((name) => ({ name: `use_${name.replace(' ', '_')}`, parameters: schemas[name]! }));
}

function grammarOf(format: ToolCallFormat, calls: Omit<CallConstraint, 'format'>) {
  return answerGrammar({
    response: { type: 'text' },
    calls: { ...calls, format: format.constraint },
  })!;
}

function vocabularyOf({ markers: own, constraint }: ToolCallFormat) {
  return toyVocabulary(...jsonPieces, ...closers, ...markers, ...own, constraint.end || '\t');
}

/** Reads an answer as the service does, in so many pieces. */
function read(format: ToolCallFormat, tools: CallConstraint['tools'], text: string, pieces: number) {
  const definitions = tools.map(({ name, parameters }) => ({ name, parameters: parameters! }));
  const parser = createAnswerParser({
    toolCallParser: format.createParser(definitions, { isConstrained: true }),
    createToolCallId: () => 'call',
  });
  const size = Math.max(1, Math.ceil(text.length / pieces));
  const events: AnswerEvent[] = [];
  for (let index = 0; index < text.length; index += size)
    events.push(...parser.push(text.slice(index, index + size)));
  const end = parser.end({ cutOff: false });
  events.push(...end.events);
  const calls: { name: string; arguments: string }[] = [];
  let content = '';
  for (const event of events) {
    if (event.type === 'text-delta') content += event.text;
    if (event.type === 'tool-call-start') calls.push({ name: event.name, arguments: '' });
    if (event.type === 'tool-call-delta') calls.at(-1)!.arguments += event.arguments;
  }
  return { calls, content, finishReason: end.finishReason };
}

/** What is wrong with the calls of an answer; nothing if they are right. */
function faultsOf(calls: readonly { name: string; arguments: string }[], tools: CallConstraint['tools']) {
  return calls.flatMap(({ name, arguments: text }): string[] => {
    const tool = tools.find((candidate) => candidate.name === name);
    if (!tool) return [`${name} is no tool`];
    try {
      const { errors } = new Validator(tool.parameters as Schema, '2020-12').validate(JSON.parse(text));
      return errors.map(({ error, instanceLocation }) => `${instanceLocation}: ${error}`);
    } catch (error) {
      return [String(error)];
    }
  });
}

/** Draws answers that have to call tools, and reads them back. */
function draw(format: ToolCallFormat, tools: CallConstraint['tools'], seeds: number) {
  const vocabulary = vocabularyOf(format);
  const compile = (parallel: boolean) =>
    compileGrammar(grammarOf(format, { tools, choice: 'required', parallel }), vocabulary);
  const grammars = [compile(true), compile(false)];
  return Array.from({ length: seeds }, (_, seed) => {
    const text = randomWalk(grammars[seed === 0 ? 0 : 1]!, vocabulary, {
      seed,
      patience: 10 * seed,
      closers: [...closers, format.constraint.end],
    });
    const { calls, content, finishReason } = read(format, tools, text, seed + 1);
    return { text, calls, count: calls.length, content, finishReason, faults: faultsOf(calls, tools) };
  });
}

describe('whatever is drawn is read back as calls whose arguments are valid', () => {
  test.each(cases)('%s, %s', (_, schema, format) => {
    for (const answer of draw(format, toolsOf(schema), 3)) {
      expect(answer).toMatchObject({ faults: [], content: '', finishReason: 'tool_calls' });
    }
  });
});

const weather = {
  type: 'object',
  properties: {
    city: { type: 'string', maxLength: 5 },
    unit: { enum: ['c', 'f'] },
    days: { type: 'integer', minimum: 1, maximum: 7 },
    hourly: { type: 'boolean' },
    at: { type: 'object', properties: { lat: { type: 'number' } }, required: ['lat'], ...closed },
  },
  required: ['city', 'unit'],
  ...closed,
};
const paris = { city: 'Paris', unit: 'c', days: 3, hourly: true, at: { lat: 1.5 } };

/** Changes that break the schema. */
const breaches: readonly (readonly [what: string, values: Readonly<Record<string, unknown>>])[] = [
  ['a required parameter is missing', { city: 'Paris' }],
  ['all are missing', {}],
  ['an unknown parameter', { ...paris, country: 'France' }],
  ['another word than those listed', { ...paris, unit: 'k' }],
  ['a text that is too long', { ...paris, city: 'Parisian' }],
  ['a number beyond the bounds', { ...paris, days: 8 }],
  ['a fraction instead of an integer', { ...paris, days: 2.5 }],
  ['a word instead of a boolean', { ...paris, hourly: 'maybe' }],
  ['an unknown member inside', { ...paris, at: { lat: 1.5, lon: 2 } }],
  ['a text instead of an object', { ...paris, at: 'here' }],
];

describe.each(formats)('%s', (_name, format) => {
  const tools = [{ name: 'get_weather', parameters: weather, strict: true }];
  const text = { type: 'text' } as const;
  const write = (some: unknown): string => written(format, some, 1);
  const accepts = acceptor(grammarOf(format, { tools, choice: 'required', parallel: true }));

  test('accepts a call as the format writes it', () => {
    expect([write(paris), accepts(write(paris))]).toEqual([write(paris), true]);
  });

  test.each(breaches)('refuses %s', (_, broken) => {
    expect([write(broken), accepts(write(broken))]).toEqual([write(broken), false]);
  });

  test('refuses an unknown tool, and text instead of a call', () => {
    expect(accepts(write(paris).replaceAll('get_weather', 'get_time'))).toBe(false);
    expect(accepts('It is sunny.')).toBe(false);
  });

  const two = format.constraint.separator === null ? '' : written(format, paris, 2);

  if (two !== '')
    test('two calls where several may be, one where only one may be', () => {
      const single = acceptor(grammarOf(format, { tools, choice: 'required', parallel: false }));
      expect([two, accepts(two), single(two), single(write(paris))]).toEqual([two, true, false, true]);
    });

  test('of an optional call the beginning is free, and the call is not', () => {
    const free = acceptor(answerGrammar({ response: text, calls: callsOf('optional') })!);
    const { lead = '' } = format.constraint;
    const before = `Let me see.\n${lead}`.replace(/\n\n$/, '\n');
    expect(free('It is 12 < 13 in [Paris].')).toBe(true);
    expect(free(write(paris))).toBe(true);
    expect([before, free(before + write(paris))]).toEqual([before, true]);
    const parts = [write({ ...paris, unit: 'k' }), write({ city: 'Paris' })];
    for (const part of parts) expect([part, free(part), free(before + part)]).toEqual([part, false, false]);
  });

  function callsOf(choice: CallConstraint['choice']): CallConstraint {
    return { tools, choice, parallel: true, format: format.constraint };
  }
});

const unitTools = [
  {
    name: 'get_weather',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string', maxLength: 9 }, unit: { enum: ['c', 'k'] } },
      ...closed,
    },
  },
];

test.each<[string, string, string]>([
  [
    'EXAONE 4',
    'hermes',
    '<tool_call>{"name": "get_weather", "arguments": {"city": "Paris", "unit": "k"}}</tool_call>',
  ],
  [
    'Command A',
    'command-r',
    '<|START_ACTION|>[\n    {"tool_call_id": "0", "tool_name": "get_weather", "parameters": {"city": "Paris", "unit": "k"}}\n]<|END_ACTION|>',
  ],
  [
    'Granite 3',
    'granite-3',
    '<|tool_call|>[\n    {\n        "name": "get_weather",\n        "arguments": {\n            "city": "Paris",\n            "unit": "k"\n        }\n    }\n]',
  ],
  [
    'Jamba',
    'jamba',
    '<tool_calls>[\n    {\n        "name": "get_weather",\n        "arguments": {"city": "Paris", "unit": "k"}\n    }\n]</tool_calls>',
  ],
  [
    'Command R+',
    'command-r-plus',
    'Action: ```json\n[\n    {\n        "tool_name": "get_weather",\n        "parameters": {\n            "city": "Paris",\n            "unit": "k"\n        }\n    }\n]\n```',
  ],
  [
    'Aya',
    'command-r-plus',
    'Action: ```json[{"tool_name": "get_weather", "parameters": {"city": "Paris", "unit": "k"}}]```',
  ],
  ['LFM2.5', 'lfm2', "<|tool_call_start|>[get_weather(city='Paris', unit='k')]<|tool_call_end|>"],
  [
    'LFM2 asked for JSON',
    'lfm2',
    '<|tool_call_start|>[{"name": "get_weather", "arguments": {"city": "Paris", "unit": "k"}}]<|tool_call_end|>',
  ],
])('what %s writes by itself is allowed, and read back wherever it is cut', (_family, name, answer) => {
  const format = knownFormats.find((one) => one.name === name)!;
  const grammar = (choice: CallConstraint['choice']) =>
    acceptor(
      answerGrammar({
        response: { type: 'text' },
        calls: { tools: unitTools, choice, parallel: true, format: format.constraint },
      })!,
    );
  expect(grammar('required')(answer)).toBe(true);
  expect(grammar('optional')(answer)).toBe(true);
  expect(grammar('required')(answer.replace(/k(["'])/, 'x$1'))).toBe(false);
  for (const isConstrained of [true, false]) {
    for (const pieces of [[answer], answer.split('')]) {
      const items = parsePieces(format.createParser(unitTools, { isConstrained }), pieces);
      expect(items).toMatchObject([{ name: 'get_weather', end: 'whole' }]);
      const only = items.find((item) => typeof item !== 'string');
      expect(JSON.parse(only!.arguments)).toEqual({ city: 'Paris', unit: 'k' });
    }
  }
});

/** So many calls as the format writes them, where the answer begins: Functionary's prompts end with the first `>>>`. */
function written(format: ToolCallFormat, values: unknown, count: number): string {
  const call = { name: 'get_weather', arguments: JSON.stringify(values) };
  return format.write(Array.from({ length: count }, () => call));
}
