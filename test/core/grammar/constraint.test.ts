import { describe, expect, test } from 'vitest';
import { knownFormats } from '../chat/tool-calls/known-formats.ts';
import type { AnswerConstraint, CallConstraint } from '../../../src/core/grammar/constraint.ts';
import { createAnswerParser, type AnswerEvent } from '../../../src/core/chat/answer-parser.ts';
import { hermesFormat } from '../../../src/core/chat/tool-calls/rows.ts';
import { accepts, closers, jsonPieces, randomWalk, toyVocabulary } from './walk.ts';
import { runs } from '../../thorough.ts';
import { answerGrammar, compileGrammar } from './all-at-once.ts';

const tools = [
  {
    name: 'get_weather',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' }, days: { type: 'integer', minimum: 1, maximum: 7 } },
      required: ['city'],
      additionalProperties: false,
    },
  },
  { name: 'get_time' },
  {
    name: 'add',
    parameters: {
      properties: { a: { type: 'integer' }, b: { type: 'integer' } },
      required: ['a', 'b'],
      additionalProperties: false,
    },
  },
];

interface Call {
  readonly name: string;
  readonly arguments: Record<string, unknown>;
}

function callsOf(events: readonly AnswerEvent[]): Call[] {
  const calls: { name: string; text: string }[] = [];
  for (const event of events) {
    if (event.type === 'tool-call-start') calls.push({ name: event.name, text: '' });
    if (event.type === 'tool-call-delta') calls.at(-1)!.text += event.arguments;
  }
  return calls.map(({ name, text }) => ({ name, arguments: JSON.parse(text) as Record<string, unknown> }));
}

function expectValid({ name, arguments: values }: Call): void {
  if (name === 'get_weather') {
    expect(typeof values['city']).toBe('string');
    expect([undefined, 1, 2, 3, 4, 5, 6, 7]).toContain(values['days']);
    expect(['city', 'days']).toEqual(expect.arrayContaining(Object.keys(values)));
  } else if (name === 'add') {
    expect(Object.keys(values)).toEqual(['a', 'b']);
    expect(Number.isInteger(values['a']) && Number.isInteger(values['b'])).toBe(true);
  } else {
    expect(name).toBe('get_time');
  }
}

describe.each(knownFormats.map((format) => [format.name, format] as const))('%s', (_, format) => {
  const { trigger: own = '[add(', end: last } = format.constraint;
  const vocabulary = toyVocabulary(...jsonPieces, ...closers, ...format.markers, own, last || '\t');
  const ends = [...closers, last];
  const parse = (text: string) => {
    const parser = createAnswerParser({
      toolCallParser: format.createParser(tools, { isConstrained: true }),
      createToolCallId: () => 'call',
    });
    const events = [...parser.push(text)];
    const end = parser.end({ cutOff: false });
    return { events: [...events, ...end.events], finishReason: end.finishReason };
  };
  const grammarOf = (calls: Omit<CallConstraint, 'format'>) => {
    const constraint: AnswerConstraint = {
      response: { type: 'text' },
      calls: { ...calls, format: format.constraint },
    };
    return compileGrammar(answerGrammar(constraint)!, vocabulary);
  };

  test('a required call is parsed back with valid arguments', () => {
    const grammar = grammarOf({ tools, choice: 'required', parallel: true });
    for (let seed = 0; seed < runs(20); seed++) {
      const text = randomWalk(grammar, vocabulary, { seed, patience: 40, closers: ends });
      const { events, finishReason } = parse(text);
      const calls = callsOf(events);
      expect({ text, calls: calls.length, finishReason }).toMatchObject({ finishReason: 'tool_calls' });
      for (const call of calls) expectValid(call);
    }
  });

  test('a named tool is called once', () => {
    const grammar = grammarOf({ tools: tools.slice(2), choice: 'once', parallel: true });
    for (let seed = 0; seed < runs(10); seed++) {
      const text = randomWalk(grammar, vocabulary, { seed, patience: 25, closers: ends });
      const { events } = parse(text);
      expect({ text, names: callsOf(events).map(({ name }) => name) }).toMatchObject({ names: ['add'] });
      expect(events.filter(({ type }) => type === 'text-delta')).toEqual([]);
    }
  });

  test('an optional call is constrained from its beginning on', () => {
    const grammar = grammarOf({ tools, choice: 'optional', parallel: true });
    const { trigger, lead = '', begin, call } = format.constraint;
    const start = lead + (trigger ?? begin + call('add').prefix);
    const matcher = grammar.createMatcher();
    for (const byte of new TextEncoder().encode('Let me see: {"name": [1, <tool')) matcher.accept(byte);
    expect(matcher.mayEnd).toBe(true);
    for (const byte of new TextEncoder().encode(` ${start}`)) matcher.accept(byte);
    expect(matcher.mayEnd).toBe(false);
    expect(() => matcher.accept(0x07)).toThrow('token: expected one that the grammar allows, got 7');
  });
});

const format = hermesFormat.constraint;

describe('which answers are allowed', () => {
  const call = '<tool_call>\n{"name": "add", "arguments": {"a": 1, "b": 2}}\n</tool_call>';
  const calls = (choice: CallConstraint['choice'], parallel = true): CallConstraint => ({
    tools,
    choice,
    parallel,
    format,
  });
  const text = { type: 'text' } as const;
  const json = { type: 'json-object' } as const;
  const think = { open: ['<think>'], close: ['</think>'], startsOpen: false };
  test.each<[string, AnswerConstraint, string, boolean]>([
    ['text before an optional call', { response: text, calls: calls('optional') }, `Well. ${call}`, true],
    ['text alone', { response: text, calls: calls('optional') }, 'Well. <tool_cal', true],
    ['text after an optional call', { response: text, calls: calls('optional') }, `${call}\nDone.`, true],
    [
      'several optional calls',
      { response: text, calls: calls('optional') },
      `${call}\n${call} ${call}`,
      true,
    ],
    ['one call where only one may be', { response: text, calls: calls('optional', false) }, call, true],
    [
      'two calls where only one may be',
      { response: text, calls: calls('optional', false) },
      `${call}\n${call}`,
      false,
    ],
    ['an unknown tool', { response: text, calls: calls('optional') }, call.replace('add', 'sub'), false],
    ['two required calls', { response: text, calls: calls('required') }, `${call}\n${call}`, true],
    ['text where a call is required', { response: text, calls: calls('required') }, 'Well.', false],
    ['one call', { response: text, calls: calls('once') }, call, true],
    ['two calls where one is asked for', { response: text, calls: calls('once') }, `${call}\n${call}`, false],
    ['a document instead of a call', { response: json, calls: calls('optional') }, '{"a": 1}', true],
    ['a call instead of a document', { response: json, calls: calls('optional') }, call, true],
    ['text instead of both', { response: json, calls: calls('optional') }, 'Well.', false],
    ['a document without thinking', { response: json, reasoning: think }, '{}', true],
    [
      'thinking, then a document',
      { response: json, reasoning: think },
      '<think>\n{"x <tool_call>\n</think>\n\n{}',
      true,
    ],
    ['thinking without end', { response: json, reasoning: think }, '<think>\n{}', false],
    [
      'thinking that the prompt began',
      { response: json, reasoning: { ...think, startsOpen: true } },
      'So.</think>{}',
      true,
    ],
    [
      'no thinking though the prompt began it',
      { response: json, reasoning: { ...think, startsOpen: true } },
      '{}',
      false,
    ],
    [
      'a call in the thinking is none',
      { response: text, calls: calls('required'), reasoning: think },
      `<think>${call}</think>`,
      false,
    ],
    [
      'a call after the thinking',
      { response: text, calls: calls('required'), reasoning: think },
      `<think>${call}</think>\n${call}`,
      true,
    ],
    [
      'thinking that breaks off',
      { response: text, calls: calls('optional'), reasoning: { ...think, startsOpen: true } },
      'Hm',
      true,
    ],
    [
      'a frame',
      {
        response: json,
        reasoning: { ...think, frame: { open: '<response>', close: '</response>', isRequired: false } },
      },
      '<think>a</think><response>{}</response>',
      true,
    ],
    [
      'no frame',
      { response: json, reasoning: { ...think, frame: { open: '<response>', close: '', isRequired: true } } },
      '{}',
      false,
    ],
  ])('%s', (_, constraint, answer, expected) => {
    expect(accepts(answerGrammar(constraint)!, answer)).toBe(expected);
  });

  test('no constraint where every text is allowed', () => {
    expect(answerGrammar({ response: text, reasoning: think })).toBeUndefined();
  });
});

describe('arguments whose schema cannot be honored', () => {
  const odd = [
    {
      name: 'odd',
      parameters: { type: 'object', properties: { any: { type: 'array', uniqueItems: true } } },
    },
  ];
  const frame = format.call('odd');
  const written = (text: string): string => format.begin + frame.prefix + text + frame.suffix + format.end;
  const constraint = (choice: CallConstraint['choice']): AnswerConstraint => ({
    response: { type: 'text' },
    calls: { tools: odd, choice, parallel: true, format },
  });

  test('are any object where calls are optional', () => {
    expect(accepts(answerGrammar(constraint('optional'))!, written('{"any": [1]}'))).toBe(true);
    expect(accepts(answerGrammar(constraint('optional'))!, written('[1]'))).toBe(false);
  });

  test.each(['required', 'once'] as const)('are refused where a call is %s', (choice) => {
    expect(() => answerGrammar(constraint(choice))).toThrow(
      'tools[0].parameters.properties.any.uniqueItems: expected `items` that are strings',
    );
  });

  test('are objects', () => {
    const list = {
      tools: [{ name: 'f', parameters: { type: 'array' } }],
      choice: 'once',
      parallel: true,
      format,
    } as const;
    expect(() => answerGrammar({ response: { type: 'text' }, calls: list })).toThrow(
      'tools[0].parameters.type: expected "object"',
    );
  });
});

test.each([undefined, {}, { type: 'object', properties: {} }])(
  'a function with the parameters %j has no arguments',
  (parameters) => {
    const own = [{ name: 'now', parameters }];
    const grammar = answerGrammar({
      response: { type: 'text' },
      calls: { tools: own, choice: 'once', parallel: false, format: hermesFormat.constraint },
    })!;
    const call = (values: string): string =>
      `<tool_call>\n{"name": "now", "arguments": ${values}}\n</tool_call>`;
    expect(accepts(grammar, call('{}'))).toBe(true);
    expect(accepts(grammar, call('{"zone": "UTC"}'))).toBe(false);
  },
);
