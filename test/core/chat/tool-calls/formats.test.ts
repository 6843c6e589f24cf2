import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFormat, type ToolCallFormat } from '../../../../src/core/chat/tool-calls/format.ts';
import type { ItemsNotation } from '../../../../src/core/chat/tool-calls/notation.ts';
import { cut, cutTexts } from '../../text/pieces.ts';
import { call, parsePieces, type Item } from './items.ts';
import { knownFormat, knownFormats } from './known-formats.ts';
import { callWriters, canWrite, toolsFor, type WrittenCall } from './writers.ts';
import { runs } from '../../../thorough.ts';

const weather = [
  { name: 'get_weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
];

/** Structure of all kinds, for values and for soups. */
const fragments = [
  '{"name": "f", "arguments": {"a": 1}}',
  '{"tool_name": "f", "parameters": {',
  '{"name": "f", "parameters": {"a": "',
  '"}}',
  '{',
  '}',
  '[',
  ']',
  '(',
  ')',
  'f(a="x")',
  "g(b='",
  'print(',
  'h(c=[1, {"d": None}',
  'call:f{a:',
  'call:',
  '```json',
  '```',
  'all\n',
  'f\n',
  '\n{',
  '<function=f>',
  '<function=',
  '<parameter=a>',
  '</parameter>',
  '</function>',
  '<invoke name="f">',
  '<parameter name="a">',
  '</invoke>',
  'assistant',
  'commentary to=functions.f',
  ',',
  ';',
  '=',
  '>',
  ' ',
  '\n',
  '1',
  'null',
  '<',
  '\\',
  'f',
];

/** Stands for what must not get lost. */
const word = 'wörd😀';
const unknownMember = new RegExp(`"[^"]*${word}[^"]*"\\s*:`);

function soupOf({ name, markers }: ToolCallFormat): fc.Arbitrary<string> {
  // What stands after this marker is the call's id, which is dropped with it.
  const own = markers.filter((marker) => marker !== '[CALL_ID]');
  const whole = callWriters.get(name)!([{ name: 'f', values: { a: 'b' } }]);
  const middle = Math.ceil(whole.length / 2);
  const parts = [whole, whole.slice(0, middle), whole.slice(middle), ...own, ...own, word, word, word];
  return fc.array(fc.constantFrom(...parts, ...fragments), { maxLength: 20 }).map((all) => all.join(''));
}

const names = ['get_weather', 'f', 'search-files', 'math.add'];
const keys = fc.constantFrom('city', 'n', 'list_of_things', 'optionA', 'x1');

function awkwardString(format: ToolCallFormat): fc.Arbitrary<string> {
  const words = [
    ...format.markers,
    ...fragments,
    '"',
    "'",
    '\r\n',
    '\t',
    'é',
    '😀',
    '\u2028',
    '</',
    '1.0',
    'True',
  ];
  return fc
    .array(fc.constantFrom(...words), { maxLength: 6 })
    .map((parts) => parts.join(''))
    .filter((text) => canWrite(format, text));
}

function awkwardValues(format: ToolCallFormat): fc.Arbitrary<Record<string, unknown>> {
  const text = awkwardString(format);
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      text,
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number || 0),
      fc.constantFrom(true, false, null),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(/gemma|minimax-m3/.test(format.name) ? keys : fc.oneof(keys, text), tie('value'), {
        maxKeys: 3,
      }),
    ),
  }));
  return fc.dictionary(keys, value, { maxKeys: 3 }).map((values) => ({ ...values }));
}

function awkwardCalls(format: ToolCallFormat): fc.Arbitrary<WrittenCall[]> {
  const { separator } = format.constraint ?? {};
  return fc
    .array(awkwardValues(format), { minLength: 1, maxLength: separator === null ? 1 : 3 })
    .map((all) => all.map((values, index) => ({ name: names[index]!, values })));
}

const writesLead = (format: ToolCallFormat, lead: string) =>
  format.name === 'functionary-v3.2' ? (lead === '' ? '' : `all\n${lead}>>>`) : lead;

describe.each(knownFormats.map((format) => [format.name, format] as const))('%s', (_, format) => {
  const write = callWriters.get(format.name)!;

  it('reads its own example', () => {
    const items = parsePieces(format.createParser(weather), [format.example]);
    const found = items.find((item) => typeof item !== 'string');
    expect(found).toMatchObject({ name: 'get_weather', end: 'whole' });
    expect(JSON.parse(found!.arguments)).toEqual({ city: 'Paris' });
  });

  it('reads awkward arguments back, with text before, however the answer is cut', () => {
    const cases = fc.record({
      lead: fc.constantFrom('', 'Let me see.\n', 'a < b 😀\n\n'),
      calls: awkwardCalls(format),
      lengths: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 }),
    });
    fc.assert(
      fc.property(cases, ({ lead, calls, lengths }) => {
        const text = writesLead(format, lead) + write(calls);
        const items = parsePieces(format.createParser(toolsFor(calls)), cut(text, lengths));
        const texts = items.filter((item) => typeof item === 'string');
        expect(texts.join('').trim()).toBe(lead.trim());
        const found = items.filter((item) => typeof item !== 'string');
        expect(found.map(({ name, end }) => ({ name, end }))).toEqual(
          calls.map(({ name }) => ({ name, end: 'whole' })),
        );
        expect(found.map((item) => JSON.parse(item.arguments) as unknown)).toEqual(
          calls.map(({ values }) => values),
        );
      }),
      { numRuns: runs(150) },
    );
  });

  it('writes arguments that contain the signs of a slot as they are', () => {
    const calls = [{ name: 'get_weather', values: { city: '⟨name⟩ ⟨number⟩' } }];
    const [found] = parsePieces(format.createParser(toolsFor(calls)), [write(calls)]);
    expect(JSON.parse((found as { arguments: string }).arguments)).toEqual(calls[0]!.values);
  });

  it('passes no call off as whole that was cut off', () => {
    const values = { city: 'Paris', list_of_things: ['a', { n: 1 }], n: 12 };
    const calls = [{ name: 'get_weather', values }];
    const text = `${writesLead(format, 'Well.')}\n${write(calls)}`;
    for (let length = 0; length < text.length; length++) {
      const items = parsePieces(format.createParser(toolsFor(calls)), [text.slice(0, length)], true);
      const found = items.filter((item) => typeof item !== 'string');
      expect(found.length).toBeLessThanOrEqual(1);
      for (const item of found) {
        if (item.end === 'whole') expect(JSON.parse(item.arguments)).toEqual(values);
        else if (item.name !== null) expect(() => JSON.parse(item.arguments) as unknown).toThrow(SyntaxError);
      }
    }
  });

  it('reports calls of functions that nobody has defined', () => {
    const items = parsePieces(format.createParser([]), [write([{ name: 'unheard_of', values: { a: 'x' } }])]);
    expect(items.filter((item) => typeof item !== 'string')).toMatchObject([
      { name: 'unheard_of', end: 'whole' },
    ]);
  });

  it('takes soups of markers: never throws, loses nothing, cut or not the same', () => {
    fc.assert(
      fc.property(cutTexts(soupOf(format)), fc.boolean(), ({ text, pieces }, cutOff) => {
        // Members of a call that no format knows, such as an id, are ignored, their names with them.
        fc.pre(!unknownMember.test(text));
        const items = parsePieces(format.createParser(weather), pieces, cutOff);
        expect(items).toEqual(parsePieces(format.createParser(weather), [text], cutOff));
        for (const item of items) {
          if (typeof item === 'string') continue;
          expect(item.end).not.toBe('missing');
          if (item.end === 'whole') expect(JSON.parse(item.arguments)).toBeTypeOf('object');
          else if (item.name !== null)
            expect(() => JSON.parse(item.arguments) as unknown).toThrow(SyntaxError);
        }
        if (!cutOff) expect(countWords(items)).toBe(text.split(word).length - 1);
        if (!cutOff)
          expect(isSubsequence(items.filter((item) => typeof item === 'string').join(''), text)).toBe(true);
      }),
      { numRuns: runs(500) },
    );
  });

  it('takes deep nesting and any number of markers', () => {
    for (const part of ['[', '{"a":', '(', 'f(', ...format.markers, 'x\n']) {
      const text = write([{ name: 'f', values: {} }]).slice(0, -3) + part.repeat(20_000 / part.length);
      expect(() => parsePieces(format.createParser([]), cut(text, [1000]))).not.toThrow();
    }
  });

  it('takes long arguments', () => {
    const part = ['"\\ \n\'', ...format.markers].filter((marker) => canWrite(format, marker)).join('é');
    const calls = [
      {
        name: 'f',
        values: { text: part.repeat(5_000 / part.length), list: [part.repeat(5_000 / part.length)] },
      },
    ];
    const items = parsePieces(format.createParser(toolsFor(calls)), cut(write(calls), [2]));
    const item = items.find((found) => typeof found !== 'string');
    expect(JSON.parse(item!.arguments)).toEqual(calls[0]!.values);
  });
});

function countWords(items: readonly Item[]): number {
  const all = items.map((item) => (typeof item === 'string' ? item : `${item.name} ${item.arguments}`));
  return all.join('').split(word).length - 1;
}

function isSubsequence(part: string, text: string): boolean {
  let matched = 0;
  for (const unit of text) if (part.startsWith(unit, matched)) matched += unit.length;
  return matched === part.length;
}

const typed = [
  {
    name: 'f',
    parameters: {
      type: 'object',
      properties: {
        text: { type: 'string' },
        count: { type: 'integer' },
        isOn: { type: 'boolean' },
        limit: { type: ['number', 'null'] },
        mode: { enum: ['1', '2'] },
        either: { anyOf: [{ type: 'string' }, { type: 'integer' }] },
        any: {},
      },
    },
  },
];

const deepseek = (...calls: string[]) =>
  `<｜tool▁calls▁begin｜>${calls.map((text) => `<｜tool▁call▁begin｜>${text}<｜tool▁call▁end｜>`).join('\n')}<｜tool▁calls▁end｜>`;

describe('formats', () => {
  it.each<[string, string, string, Item[]]>([
    ['llama-3', 'after a tag', '<|python_tag|>{"name": "f", "parameters": {}}', [call('f')]],
    [
      'llama-3',
      'semicolons',
      '{"name": "f", "parameters": {}}; {"name": "g", "parameters": {"a": 1}}',
      [call('f'), call('g', '{"a": 1}')],
    ],
    ['llama-3', 'a type', '{"type": "function", "name": "f", "parameters": {}}', [call('f')]],
    ['llama-3', 'a line of its own', 'Sure:\n\n{"name": "f", "parameters": {}}', ['Sure:\n\n', call('f')]],
    ['llama-3', 'text after', '{"name": "f", "parameters": {}}, they say', [call('f'), ', they say']],
    [
      'llama-3',
      'other JSON',
      '{"city": {"name": "f", "parameters": {}}}',
      ['{"city": {"name": "f", "parameters": {}}}'],
    ],
    ['llama-3', 'JSON about a name', '{"name": "Ada", "age": 36}', ['{"name": "Ada", "age": 36}']],
    ['llama-3', 'a name only', '{"name": "Ada"}', ['{"name": "Ada"}']],
    [
      'llama-3',
      'braces inside a line',
      'if {"name": "unknown", "parameters": {}}',
      ['if {"name": "unknown", "parameters": {}}'],
    ],
    ['pythonic', 'text in brackets', '[a link](http://x) [g()]', ['[a link](http://x) [g()]']],
    [
      'pythonic',
      'after text',
      'See [1]: [f(text="[x")] Ok?',
      ['See [1]: ', call('f', '{"text": "[x"}'), 'Ok?'],
    ],
    ['pythonic', 'no arguments', ' [f(), g( )]', [call('f'), call('g')]],
    ['pythonic', 'markers', '<|python_start|>[f(text="a")]<|python_end|>', [call('f', '{"text": "a"}')]],
    ['pythonic', 'JSON', '{"name": "f", "parameters": {}}', [call('f')]],
    [
      'pythonic',
      'all literals',
      String.raw`[f(a="it's", b='say "hi"\n\x41\u00e9\U0001F600\q', c=-1.50, d=[1, (2, 3), (4)], e={'k': None, 1: True}, g=1_000, h=.5, i=12345678901234567890)]`,
      [
        call(
          'f',
          String.raw`{"a": "it's", "b": "say \"hi\"\nAé😀\\q", "c": -1.50, "d": [1, [2, 3], 4], "e": {"k": null, "1": true}, "g": 1000, "h": 0.5, "i": 12345678901234567890}`,
        ),
      ],
    ],
    [
      'pythonic',
      'triple quotes',
      '[f(a="""x "y"\nz""", b="")]',
      [call('f', String.raw`{"a": "x \"y\"\nz", "b": ""}`)],
    ],
    [
      'pythonic',
      'no keywords',
      '[f("x", 2, isOn=True)]',
      [call('f', '{"text": "x", "count": 2, "isOn": true}')],
    ],
    ['pythonic', 'too many values', '[g("x")]', ['[g("x")]']],
    ['pythonic', 'an expression', '[f(a=1 + 2)]', ['[f(a=1 + 2)]']],
    ['pythonic', 'a variable', '[f(a=b)]', ['[f(a=b)]']],
    ['pythonic', 'deep nesting', `[f(a=${'['.repeat(40)}`, [`[f(a=${'['.repeat(40)}`]],
    [
      'pythonic',
      'sets',
      "[f(a={'x', 'y'}, b={}, c={1})]",
      [call('f', '{"a": ["x", "y"], "b": {}, "c": [1]}')],
    ],
    ['llama-3', 'text on the same line', 'Sure: {"name": "f", "parameters": {}}', ['Sure: ', call('f')]],
    [
      'llama-3',
      'text on the same line and none of its tools',
      'See {"name": "g", "parameters": {}}',
      ['See {"name": "g", "parameters": {}}'],
    ],
    [
      'llama-3',
      'a list of such objects',
      'See [{"name": "f", "parameters": {}}, {"name": "f", "parameters": {}}]',
      ['See [{"name": "f", "parameters": {}}, {"name": "f", "parameters": {}}]'],
    ],
    [
      'lfm2',
      'JSON',
      'A<|tool_call_start|>[{"name": "f", "arguments": {"count": 1}}, {"name": "g", "arguments": {}}]<|tool_call_end|>B',
      ['A', call('f', '{"count": 1}'), call('g'), 'B'],
    ],
    [
      'lfm2',
      'one JSON object',
      '<|tool_call_start|>{"name": "f", "arguments": {}}<|tool_call_end|>',
      [call('f')],
    ],
    [
      'deepseek-v3.2',
      'no parameters',
      '<｜DSML｜function_calls>\n<｜DSML｜invoke name="f"/>\n<｜DSML｜invoke name="g" />\n</｜DSML｜function_calls>',
      [call('f'), call('g')],
    ],
    [
      'deepseek-v3.2',
      'JSON',
      '<｜DSML｜function_calls>\n<｜DSML｜invoke name="f">\n{"count": 1}\n</｜DSML｜invoke>\n<｜DSML｜invoke name="g">{}</｜DSML｜invoke>\n</｜DSML｜function_calls>!',
      [call('f', '{"count": 1}'), call('g'), '!'],
    ],
    [
      'kimi-k2',
      'a number in place of a name',
      '<|tool_call_begin|>0<|tool_call_argument_begin|>{"text": "a"}<|tool_call_end|>',
      [call('f', '{"text": "a"}')],
    ],
    [
      'kimi-k2',
      'a number, and arguments that fit no tool',
      '<|tool_call_begin|>0<|tool_call_argument_begin|>{"other": 1}<|tool_call_end|>',
      ['<|tool_call_begin|>0<|tool_call_argument_begin|>{"other": 1}<|tool_call_end|>'],
    ],
    [
      'minicpm-5',
      'no space',
      '<functionname="f"><param name="count">1</param></function>',
      [call('f', '{"count": 1}')],
    ],
    [
      'function-gemma',
      'numbers as strings',
      '<start_function_call>call:f{count:<escape>5<escape>,isOn:<escape>true<escape>,text:<escape>5<escape>,any:<escape>5<escape>}<end_function_call>',
      [call('f', '{"count": 5, "isOn": true, "text": "5", "any": "5"}')],
    ],
    ['lfm2', 'text around', 'A<|tool_call_start|>[f()]<|tool_call_end|>B', ['A', call('f'), 'B']],
    ['gemma-code', 'a bare call', '```tool_code\nf(text="a")\n```\nOK', [call('f', '{"text": "a"}'), '\nOK']],
    ['gemma-code', 'other code', '```python\nf()\n```', ['```python\nf()\n```']],
    [
      'gemma-4',
      'all literals',
      '<|tool_call>call:f{text:<|"|>a "b" {c}<|"|>,n:-1.5,on:true,no:null,list:[1,<|"|>x<|"|>],map:{k:{}}}<tool_call|>',
      [
        call(
          'f',
          String.raw`{"text": "a \"b\" {c}", "n": -1.5, "on": true, "no": null, "list": [1, "x"], "map": {"k": {}}}`,
        ),
      ],
    ],
    ['mistral', 'one object', '[TOOL_CALLS]{"name": "f", "arguments": {}}', [call('f')]],
    ['mistral', 'ids', '[TOOL_CALLS] [{"name": "f", "arguments": {}, "id": "123456789"}]', [call('f')]],
    ['mistral-named', 'no marker before the arguments', '[TOOL_CALLS]f{"a": 1}', [call('f', '{"a": 1}')]],
    ['mistral-named', 'no arguments', 'See [TOOL_CALLS] f.', ['See [TOOL_CALLS] f.']],
    ['granite-3', 'the other marker', '<tool_call>[{"name": "f", "arguments": {}}]', [call('f')]],
    ['granite-3', 'an empty list', '<|tool_call|>[]', ['<|tool_call|>[]']],
    ['functools', 'the other marker', 'functools[{"name": "f", "arguments": {}}]', [call('f')]],
    [
      'command-r',
      'a broken list',
      '<|START_ACTION|>[{"tool_name": "f"}, and<|END_ACTION|>',
      [call('f'), ', and'],
    ],
    [
      'deepseek-v3',
      'two calls',
      `Hm.${deepseek('function<｜tool▁sep｜>f\n```json\n{"a": "```"}\n```', 'function<｜tool▁sep｜>g\n```json\n{}\n```')}`,
      ['Hm.', call('f', '{"a": "```"}'), call('g')],
    ],
    [
      'deepseek-v3',
      'arguments in a string',
      deepseek('function<｜tool▁sep｜>f\n```json\n"{\\"a\\": 1}"\n```'),
      [call('f', '{"a": 1}')],
    ],
    ['deepseek-v3.1', 'a function called function', deepseek('function<｜tool▁sep｜>{}'), [call('function')]],
    ['deepseek-v3.1', 'no name', deepseek('<｜tool▁sep｜>{}'), [deepseek('<｜tool▁sep｜>{}')]],
    [
      'kimi-k2',
      'an id without number',
      '<|tool_call_begin|>f<|tool_call_argument_begin|>{}<|tool_call_end|>',
      [call('f')],
    ],
    [
      'kimi-k2',
      'text around',
      'One.<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>Two.',
      ['One.', call('f'), 'Two.'],
    ],
    ['functionary-v3.1', 'a broken tag', '<function=f {"a": 1}', [call('f', '{"a": 1}')]],
    ['functionary-v3.1', 'no call', '<function=f a', ['<function=f a']],
    ['functionary-v3.2', 'a call', 'f\n{"a": 1}', [call('f', '{"a": 1}')]],
    ['functionary-v3.2', 'text', 'all\nSee:\n>>> 1 + 1\n2', ['See:\n>>> 1 + 1\n2']],
    [
      'qwen3-coder',
      'types',
      '<tool_call><function=f>\n<parameter=text>\n1\n</parameter>\n<parameter=count>2</parameter>\n<parameter=isOn>\nTrue\n</parameter>\n<parameter=limit>\nNone\n</parameter>\n<parameter=mode>\n1\n</parameter>\n<parameter=either>\n3\n</parameter>\n<parameter=any>\n{"k": 1}\n</parameter>\n</function></tool_call>',
      [
        call(
          'f',
          '{"text": "1", "count": 2, "isOn": true, "limit": null, "mode": "1", "either": 3, "any": {"k": 1}}',
        ),
      ],
    ],
    [
      'qwen3-coder',
      'values that do not fit',
      '<function=f><parameter=count>many</parameter><parameter=unknown>x</parameter></function>',
      [call('f', '{"count": "many", "unknown": "x"}')],
    ],
    [
      'qwen3-coder',
      'tags and blank lines in values',
      '<function=f><parameter=text>\n\n</parameter>\n<parameter>\n\n</parameter>\n</function>',
      [call('f', String.raw`{"text": "\n</parameter>\n<parameter>\n"}`)],
    ],
    [
      'qwen3-coder',
      'an end between the tags',
      '<function=f>\n<parameter=text>a</parameter>',
      [call('f', '{"text": "a"}')],
    ],
    [
      'qwen3-coder',
      'an end inside a value',
      '<function=f>\n<parameter=text>a',
      ['<function=f>\n<parameter=text>a'],
    ],
    [
      'qwen3-coder',
      'an end inside a number',
      '<function=f>\n<parameter=count>1',
      ['<function=f>\n<parameter=count>1'],
    ],
    [
      'qwen3-coder',
      'no close tag before another parameter',
      '<tool_call><function=f>\n<parameter=count>\n5.0\n<parameter=text>\na\n</parameter>\n</function></tool_call>!',
      [call('f', '{"count": 5, "text": "a"}'), '!'],
    ],
    [
      'qwen3-coder',
      'no close tag before the end',
      '<tool_call>\n<function=f>\n<parameter=text>\na\n</function>\n</tool_call>\n<tool_call>\n<function=f>\n<parameter=count>\n2\n</parameter>\n</function>\n</tool_call>',
      [call('f', '{"text": "a"}'), '\n', call('f', '{"count": 2}')],
    ],
    [
      'minimax-m2',
      'no close tag',
      '<minimax:tool_call><invoke name="f"><parameter name="count">1<parameter name="text">a</parameter></invoke></minimax:tool_call>',
      [call('f', '{"count": 1, "text": "a"}')],
    ],
    [
      'glm-4.5',
      'no close tag',
      '<tool_call>f\n<arg_key>count</arg_key>\n<arg_value>1\n<arg_key>text</arg_key>\n<arg_value>a</arg_value></tool_call>',
      [call('f', '{"count": 1, "text": "a"}')],
    ],
    [
      'kimi-k2',
      'a broken call',
      '<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{"a": what?}<|tool_call_end|><|tool_calls_section_end|>',
      [
        '<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{"a": what?}<|tool_call_end|><|tool_calls_section_end|>',
      ],
    ],
    [
      'deepseek-v3.1',
      'schema types',
      deepseek('f<｜tool▁sep｜>{"count": "5", "text": a word, "isOn": True}'),
      [call('f', '{"count": 5, "text": "a word", "isOn": true}')],
    ],
    [
      'gemma-4',
      'no word before the name',
      '<|tool_call>:f{text:<|"|>a<|"|>}<tool_call|>',
      [call('f', '{"text": "a"}')],
    ],
    [
      'gemma-4',
      'texts without quotes',
      '<|tool_call>call:f{text:two words,any:{kind:round,size:3}}<tool_call|>',
      [call('f', '{"text": "two words", "any": {"kind": "round", "size": 3}}')],
    ],
    [
      'gemma-4',
      'words where strings are due',
      '<|tool_call>call:f{text:42,mode:1,limit:null}<tool_call|>',
      [call('f', '{"text": "42", "mode": "1", "limit": null}')],
    ],
    [
      'deepseek-v3.2',
      'marks that the schema contradicts',
      '<｜DSML｜invoke name="f"><｜DSML｜parameter name="count" string="true">4</｜DSML｜parameter><｜DSML｜parameter name="text" string="false">null</｜DSML｜parameter><｜DSML｜parameter name="either" string="true">5</｜DSML｜parameter></｜DSML｜invoke>',
      [call('f', '{"count": 4, "text": "null", "either": "5"}')],
    ],
    [
      'deepseek-v3.2',
      'no close tag',
      '<｜DSML｜invoke name="f"><｜DSML｜parameter name="text" string="true">a <｜DSML｜parameter name="count" string="false">2</｜DSML｜parameter></｜DSML｜invoke>',
      [call('f', '{"text": "a ", "count": 2}')],
    ],
    [
      'deepseek-v3.2',
      'no close tag, and an unknown tool',
      '<｜DSML｜invoke name="h"><｜DSML｜parameter name="x" string="true">1<｜DSML｜parameter name="y" string="false">2</｜DSML｜parameter></｜DSML｜invoke>',
      [
        '<｜DSML｜invoke name="h"><｜DSML｜parameter name="x" string="true">1<｜DSML｜parameter name="y" string="false">2</｜DSML｜parameter></｜DSML｜invoke>',
      ],
    ],
    [
      'deepseek-v3.2',
      'all arguments in one parameter',
      '<｜DSML｜invoke name="f"><｜DSML｜parameter name="arguments" string="false">{"text": "a"}</｜DSML｜parameter></｜DSML｜invoke>',
      [call('f', '{"text": "a"}')],
    ],
    [
      'minicpm-5',
      'all arguments in one parameter, as Python',
      `<function name="f"><param name="properties">{'text': 'a', 'isOn': True}</param></function>`,
      [call('f', '{"text": "a", "isOn": true}')],
    ],
    [
      'minicpm-5',
      'an object of other arguments',
      '<function name="f"><param name="arguments">{"size": 1}</param></function>',
      [call('f', '{"arguments": {"size": 1}}')],
    ],
    [
      'minicpm-5',
      'tags run together',
      '<functionname="f"><paramname="text">a</param><paramĠname="count">2</param></function>',
      [call('f', '{"text": "a", "count": 2}')],
    ],
    [
      'minicpm-5',
      'tags run together without a close tag',
      '<function name="f"><paramname="text">a<paramname="count">2</param></function>',
      [call('f', '{"text": "a", "count": 2}')],
    ],
    [
      'qwen3-coder',
      'zeros before a number',
      '<function=f><parameter=count>007</parameter><parameter=text>007</parameter><parameter=any>007</parameter></function>',
      [call('f', '{"count": 7, "text": "007", "any": "007"}')],
    ],
    [
      'minimax-m3',
      'several elements of a name',
      ']<]minimax[>[<invoke name="f">]<]minimax[>[<any>]<]minimax[>[<tag>x]<]minimax[>[</tag>]<]minimax[>[<tag>y]<]minimax[>[</tag>]<]minimax[>[</any>]<]minimax[>[<either>]<]minimax[>[</either>]<]minimax[>[</invoke>',
      [call('f', '{"any": {"tag": ["x", "y"]}, "either": ""}')],
    ],
    [
      'pythonic',
      'a broken list before a whole one',
      '[f(count=1e999)]\n[f(count=1)]',
      ['[f(count=1e999)]\n', call('f', '{"count": 1}')],
    ],
    ['mistral-named', 'a name alone', 'See [TOOL_CALLS]f', ['See ', call('f')]],
    [
      'mistral-named',
      'no name before a whole call',
      '[TOOL_CALLS]{"text": "a"}[TOOL_CALLS]f[ARGS]{"count": 1}',
      ['[TOOL_CALLS]{"text": "a"}', call('f', '{"count": 1}')],
    ],
    [
      'lfm2',
      'quotes inside of strings',
      `<|tool_call_start|>[f(text='it's 'late'', count=2), f(text='a\\n"b"')]<|tool_call_end|>`,
      [call('f', `{"text": "it's 'late'", "count": 2}`), call('f', String.raw`{"text": "a\n\"b\""}`)],
    ],
    [
      'lfm2',
      'quotes inside of strings, and no end',
      `<|tool_call_start|>[f(text='it's late, count=2`,
      [`<|tool_call_start|>[f(text='it's late, count=2`],
    ],
    [
      'glm-4.5',
      'escapes of line breaks',
      String.raw`<tool_call>h\n<arg_key>list</arg_key>\n<arg_value>[1]</arg_value>\n</tool_call>`,
      [call('h', '{"list": [1]}')],
    ],
    ['glm-4.5', 'no arguments', '<tool_call>f</tool_call>', [call('f')]],
    ['glm-4.5', 'no call', '<tool_call>some text</tool', ['<tool_call>some text</tool']],
    [
      'minimax-m2',
      'two calls',
      '<minimax:tool_call><invoke name="f"><parameter name="text"> a\n</parameter></invoke>\n<invoke name="g"></invoke></minimax:tool_call>',
      [call('f', String.raw`{"text": " a\n"}`), call('g')],
    ],
    [
      'harmony',
      'a builtin tool',
      '<|channel|>analysis to=browser.search code<|message|>{"query": "x"}<|call|>',
      [call('browser.search', '{"query": "x"}')],
    ],
    ['harmony', 'another channel', '<|channel|>final<|message|>Hi', ['<|channel|>final<|message|>Hi']],
  ])('%s: %s', (name, _, text, items) => {
    const { createParser } = knownFormat(name);
    expect(parsePieces(createParser(typed), [text])).toEqual(items);
    expect(parsePieces(createParser(typed), text.split(''))).toEqual(items);
  });

  it.each([200, 300])('reads names of tools, and leaves a longer word as text: %d characters', (length) => {
    const name = 'x'.repeat(length);
    const text = `<|channel|>commentary to=functions.${name}<|message|>{}<|call|>`;
    const whole = parsePieces(knownFormat('harmony').createParser([]), [text]);
    expect(parsePieces(knownFormat('harmony').createParser([]), cut(text, [7]))).toEqual(whole);
    expect(whole).toEqual(length === 200 ? [call(name, '{}')] : [text]);
  });

  it('takes an object with a name for text if a grammar writes calls in another way', () => {
    const { createParser } = knownFormat('llama-3');
    const text = 'Sure: {"name":"Bob", "age": 3}';
    const parser = createParser([{ name: 'f' }], { isConstrained: true });
    expect(parsePieces(parser, text.split(''))).toEqual([text]);
  });

  it.each([
    ['(', ')'],
    [': k=', '.'],
  ])('leaves braces as text if calls have no mark: %s', (first, end) => {
    const [start] = knownFormat('pythonic').notations as readonly [ItemsNotation];
    const format = createFormat('bare', [{ ...start, begin: '', between: null, first, end }]);
    for (const text of ['{', '{x}', '{f(n=1)}', 'See:\n{"name": "f"}'])
      expect(parsePieces(format.createParser([{ name: 'f' }]), text.split(''))).toEqual([text]);
  });
});
