import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hermesFormat } from '../../../../src/core/chat/tool-calls/rows.ts';
import { cut, cutTexts, soup } from '../../text/pieces.ts';
import { call, parsePieces, unfinished, type Item } from './items.ts';
import { runs } from '../../../thorough.ts';

function parse(pieces: readonly string[], cutOff = false): Item[] {
  return parsePieces(hermesFormat.createParser([]), pieces, cutOff);
}

/** What an answer is made of: a text, or a call in one of the forms in which models write them. */
const segment: fc.Arbitrary<{ text: string; name?: string; values?: unknown }> = fc.oneof(
  fc.constantFrom(' and ', 'a < b.', '<tool>', '{"name": "f"}').map((text) => ({ text })),
  fc
    .record({
      name: fc.string({ unit: 'grapheme', minLength: 1 }),
      json: fc
        .json()
        .map((json) => JSON.stringify({ json: JSON.parse(json) as unknown, '</tool_call>': '"<tool_call>' })),
      form: fc.constantFrom('name first', 'arguments first', 'string', 'indented'),
    })
    .map(({ name, json, form }) => {
      const values: unknown = JSON.parse(json);
      const written = {
        'name first': { name, arguments: values, id: { name: 'x' } },
        'arguments first': { id: 1, arguments: values, name, type: ['function'] },
        string: { name, arguments: json },
        indented: { name, arguments: values },
      }[form];
      const text = JSON.stringify(written, null, form === 'indented' ? 2 : 0);
      return { text: `<tool_call>\n${text}\n</tool_call>`, name, values };
    }),
);

describe('hermesFormat', () => {
  it.each<[string, string, Item[]]>([
    ['plain text', 'Hello <b>', ['Hello <b>']],
    ['a call', '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>', [call('f', '{"a": 1}')]],
    [
      'text around parallel calls',
      'Sure.\n<tool_call>\n{"name": "f", "arguments": {"a": [1]}}\n</tool_call>\n<tool_call>{"name":"g","arguments":{}}</tool_call> Done',
      ['Sure.\n', call('f', '{"a": [1]}'), '\n', call('g'), ' Done'],
    ],
    [
      'arguments before the name',
      '<tool_call>{"arguments": {"a": "x"}, "name": "f"}</tool_call>',
      [call('f', '{"a": "x"}')],
    ],
    ['no arguments', '<tool_call>{"name": "f"}</tool_call>', [call('f')]],
    ['null arguments', '<tool_call>{"name": "f", "arguments": null}</tool_call>', [call('f')]],
    ['empty string arguments', '<tool_call>{"name": "f", "arguments": ""}</tool_call>', [call('f')]],
    [
      'arguments in a string',
      String.raw`<tool_call>{"name": "f", "arguments": "{\"a\": \"\\n\u00e9\"}"}</tool_call>`,
      [call('f', String.raw`{"a": "\n${'é'}"}`)],
    ],
    ['parameters', '<tool_call>{"name": "f", "parameters": {"a": 1}}</tool_call>', [call('f', '{"a": 1}')]],
    [
      'other and repeated keys',
      '<tool_call>{"id": [1, {"name": "x"}], "name": "f", "name": "g", "arguments": {"a": 1}, "arguments": {"b": 2}, "n": 3}</tool_call>',
      [call('f', '{"a": 1}')],
    ],
    [
      'an escaped name',
      String.raw`<tool_call>{"na\u006de": "\u0066\"", "arguments": {}}</tool_call>`,
      [call('f"')],
    ],
    [
      'markers inside strings',
      '<tool_call>{"name": "f", "arguments": {"a": "</tool_call><tool_call>{\\"}"}}</tool_call>',
      [call('f', '{"a": "</tool_call><tool_call>{\\"}"}')],
    ],
    [
      'white space everywhere',
      '<tool_call> \n { "name" : "f" , "arguments" : { } } \n </tool_call>',
      [call('f', '{ }')],
    ],
    ['no close marker', '<tool_call>{"name": "f", "arguments": {}}', [call('f')]],
    ['no close marker before text', '<tool_call>{"name": "f", "arguments": {}}\nOK', [call('f'), 'OK']],
    [
      'no close marker before a call',
      '<tool_call>{"name": "f", "arguments": {}}\n<tool_call>{"name": "g"}</tool_call>',
      [call('f'), call('g')],
    ],
    [
      'two objects between the markers',
      '<tool_call>\n{"name": "f"}\n{"name": "g"}\n</tool_call>x',
      [call('f'), call('g'), 'x'],
    ],
    ['one brace too many', '<tool_call>{"name": "f", "arguments": {}}}\n</tool_call>x', [call('f'), '}\nx']],
    [
      'one brace too few',
      '<tool_call>{"name": "f", "arguments": {"a": 1}\n</tool_call>x',
      [call('f', '{"a": 1}'), 'x'],
    ],
    ['garbage', '<tool_call>call f</tool_call>x', ['<tool_call>call f</tool_call>x']],
    [
      'garbage before a call',
      '<tool_call>f <tool_call>{"name": "g"}</tool_call>',
      ['<tool_call>f ', call('g')],
    ],
    [
      'JSON that is broken before the call is known',
      '<tool_call>{"name": f}</tool_call>x',
      ['<tool_call>{"name": f}</tool_call>x'],
    ],
    [
      'JSON that is broken inside the arguments',
      '<tool_call>{"name": "f", "arguments": {"a": 1,}}</tool_call>x',
      [call('f', '{"a": 1}'), 'x'],
    ],
    [
      "Python's words, quotes, sets and tuples",
      "<tool_call>{'name': 'f', 'arguments': {'a': True, 'b': {'x', 'y'}, 'c': (1, None), 'd': 'it\\'s'}}</tool_call>",
      [call('f', `{"a": true, "b": ["x", "y"], "c": [1, null], "d": "it's"}`)],
    ],
    [
      'quotes inside a string',
      '<tool_call>{"name": "f", "arguments": {"a": "the "best", as they say", "b": ["x "y" z"]}}</tool_call>',
      [call('f', String.raw`{"a": "the \"best\", as they say", "b": ["x \"y\" z"]}`)],
    ],
    [
      'line breaks inside a string',
      '<tool_call>{"name": "f", "arguments": {"a": "x\ny"}}</tool_call>',
      [call('f', String.raw`{"a": "x\ny"}`)],
    ],
    [
      'brackets too few',
      '<tool_call>{"name": "f", "arguments": {"a": [1, {"b": 2}</tool_call>',
      [call('f', '{"a": [1, {"b": 2}]}')],
    ],
    [
      'a broken call between whole ones',
      '<tool_call>{"name": "f"}</tool_call><tool_call>{"name": "g", "arguments": {"a": ?}}</tool_call><tool_call>{"name": "h"}</tool_call>',
      [call('f'), '<tool_call>{"name": "g", "arguments": {"a": ?}}</tool_call>', call('h')],
    ],
    [
      'a string that is cut off',
      '<tool_call>{"name": "f", "arguments": {"a": "x</tool_call>',
      ['<tool_call>{"name": "f", "arguments": {"a": "x</tool_call>'],
    ],
    [
      'no name',
      '<tool_call>{"arguments": {"a": 1}}</tool_call>',
      ['<tool_call>{"arguments": {"a": 1}}</tool_call>'],
    ],
    ['an empty name', '<tool_call>{"name": ""}</tool_call>', ['<tool_call>{"name": ""}</tool_call>']],
    [
      'a name that is no string',
      '<tool_call>{"name": 1}</tool_call>',
      ['<tool_call>{"name": 1}</tool_call>'],
    ],
    [
      'arguments that are no object',
      '<tool_call>{"name": "f", "arguments": [1]}</tool_call>',
      ['<tool_call>{"name": "f", "arguments": [1]}</tool_call>'],
    ],
    [
      'a string that holds no object',
      '<tool_call>{"name": "f", "arguments": "{1}"}</tool_call>',
      ['<tool_call>{"name": "f", "arguments": "{1}"}</tool_call>'],
    ],
    ['an empty call', '<tool_call>{}</tool_call>', ['<tool_call>{}</tool_call>']],
    ['a marker at the end', 'a<tool_call>\n', ['a<tool_call>\n']],
    ['half a marker at the end', 'a<tool_ca', ['a<tool_ca']],
    ['an end inside the name', '<tool_call>{"name": "f', ['<tool_call>{"name": "f']],
    [
      'an end inside the arguments',
      '<tool_call>{"name": "f", "arguments": {"a',
      ['<tool_call>{"name": "f", "arguments": {"a'],
    ],
    ['an end after the arguments', '<tool_call>{"name": "f", "arguments": {}', [call('f')]],
    ['a close marker alone', 'a</tool_call>b', ['a</tool_call>b']],
  ])('%s', (_, text, items) => {
    expect(parse([text])).toEqual(items);
    expect(parse(text.split(''))).toEqual(items);
  });

  it.each<[string, string, Item[]]>([
    ['a marker at the end', 'a<tool_call>\n', ['a', unfinished(null, '')]],
    ['half a marker at the end', 'a<tool_ca', ['a<tool_ca']],
    ['an end inside the name', '<tool_call>{"name": "f', [unfinished(null, '')]],
    ['an end inside the arguments', '<tool_call>{"name": "f", "arguments": {"a', [unfinished('f', '{"a')]],
    ['an end after the arguments', '<tool_call>{"name": "f", "arguments": {}', [call('f')]],
    [
      'an end inside the second call',
      '<tool_call>{"name": "f"}</tool_call><tool_call>{"na',
      [call('f'), unfinished(null, '')],
    ],
  ])('cut off: %s', (_, text, items) => {
    expect(parse([text], true)).toEqual(items);
    expect(parse(text.split(''), true)).toEqual(items);
  });

  it('gives arguments out as soon as they are known where a grammar keeps calls whole', () => {
    const parser = hermesFormat.createParser([], { isConstrained: true });
    const pieces = [
      'Hm <to',
      'ol_call>\n{"name": "f", ',
      '"arguments": ',
      '{"a":',
      ' "x',
      '"}',
      '}\n</tool_',
      'call>',
    ];
    expect(pieces.map((piece) => parser.push(piece))).toEqual([
      [{ type: 'text', text: 'Hm ' }],
      [],
      [],
      [
        { type: 'call-start', name: 'f' },
        { type: 'arguments', text: '{"a":' },
      ],
      [{ type: 'arguments', text: ' "x' }],
      [{ type: 'arguments', text: '"}' }, { type: 'call-end' }],
      [],
      [],
    ]);
    expect(parser.flush()).toEqual([]);
  });

  it('gives back any calls and texts, for every cut', () => {
    fc.assert(
      fc.property(fc.array(segment, { maxLength: 4 }), fc.integer({ min: 1, max: 9 }), (parts, size) => {
        const items = parse(cut(parts.map(({ text }) => text).join(''), [size]));
        const found = items.map((item) =>
          typeof item === 'string'
            ? item
            : { name: item.name, values: JSON.parse(item.arguments) as unknown, end: item.end },
        );
        const expected: unknown[] = [];
        for (const { text, name, values } of parts) {
          const last = expected.at(-1);
          if (name !== undefined) expected.push({ name, values, end: 'whole' });
          else if (typeof last === 'string') expected[expected.length - 1] = last + text;
          else expected.push(text);
        }
        expect(found).toEqual(expected);
      }),
      { numRuns: runs(500) },
    );
  });

  it('takes 10,000 soups of markers: never throws, cut or not the same, whole calls are JSON', () => {
    const soups = soup(
      '<tool_call>',
      '</tool_call>',
      '<tool_call>{"name": "f", "arguments": {"a": "x"}, ',
      '{"name": "f", "arguments": {',
      '{"arguments": {"a": 1}, ',
      '"arguments": "{}"',
      '{"name":',
      '"arguments":',
      '"id": 1',
      '"name": "g"',
      '"g"',
      '{',
      '}',
      '}}',
      '[',
      ']',
      ',',
      ':',
      '"',
      '\\',
      ' ',
      '\n',
      '1',
      'null',
      '<tool',
      'text😀',
    );
    fc.assert(
      fc.property(cutTexts(soups), fc.boolean(), ({ text, pieces }, cutOff) => {
        const items = parse(pieces, cutOff);
        expect(items).toEqual(parse([text], cutOff));
        for (const part of items) {
          if (typeof part === 'string') continue;
          expect(part.end).not.toBe('missing');
          if (part.end === 'whole') expect(JSON.parse(part.arguments)).toBeTypeOf('object');
          else if (part.name !== null)
            expect(() => JSON.parse(part.arguments) as unknown).toThrow(SyntaxError);
        }
      }),
      { numRuns: runs(10_000) },
    );
  });

  it('loses no text that is not part of a call', () => {
    const texts = soup(
      '<tool_call>',
      '</tool_call>',
      '<tool_',
      'call>',
      '{"name": ',
      '"f',
      '{',
      'x',
      '\n',
      ' ',
    );
    fc.assert(
      fc.property(cutTexts(texts), ({ text, pieces }) => {
        const items = parse(pieces);
        if (items.every((part) => typeof part === 'string')) expect(items.join('')).toBe(text);
        for (const part of items) {
          if (typeof part === 'string') expect(text).toContain(part);
        }
      }),
      { numRuns: runs(3000) },
    );
  });

  it('takes a call of a megabyte in pieces of one unit', () => {
    const text = `<tool_call>{"arguments": {"a": "${'x'.repeat(1_000_000)}"}, "name": "f"}</tool_call>`;
    const items = parse(text.split(''));
    expect(items).toHaveLength(1);
    expect(items[0]).toMatchObject({ name: 'f', end: 'whole' });
  });
});
