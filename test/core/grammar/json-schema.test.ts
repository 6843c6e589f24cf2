import { Validator, type Schema } from '@cfworker/json-schema';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Automaton } from '../../../src/core/grammar/engine/automaton.ts';
import { anyObject } from '../../../src/core/grammar/schemas/notation.ts';
import { createSchemaBudget } from '../../../src/core/grammar/schemas/size.ts';
import { schemas } from './schemas.ts';
import { acceptor, accepts, jsonPieces, randomWalk, toyVocabulary } from './walk.ts';
import { compileGrammar, createProgram, jsonSchemaGrammar } from './all-at-once.ts';

const vocabulary = toyVocabulary(...jsonPieces);
const walks = 12;

describe('whatever is drawn is valid', () => {
  test.each(Object.entries(schemas))('%s', (_, schema) => {
    const grammar = compileGrammar(jsonSchemaGrammar(schema), vocabulary);
    const validator = new Validator(schema as Schema, '2020-12', false);
    for (let seed = 0; seed < walks; seed++) {
      const text = randomWalk(grammar, vocabulary, { seed, patience: 10 + 5 * seed });
      expect({ text, ...validator.validate(JSON.parse(text)) }).toMatchObject({ valid: true, errors: [] });
    }
  });

  test('any object', () => {
    const grammar = compileGrammar(anyObject, vocabulary);
    for (let seed = 0; seed < walks; seed++) {
      const value: unknown = JSON.parse(randomWalk(grammar, vocabulary, { seed, patience: 80 }));
      expect(Object.prototype.toString.call(value)).toBe('[object Object]');
    }
  });
});

describe('objects are closed where their schemas describe properties and say nothing about others', () => {
  const a = { properties: { a: { type: 'integer' } } };
  const b = { properties: { b: { type: 'integer' } } };
  const pattern = { patternProperties: { '^x-': { type: 'integer' } } };
  const endless = { type: 'object', patternProperties: { '^x': { $ref: '#' } } };

  test.each<[name: string, schema: object, text: string, closed: boolean, open?: boolean]>([
    ['a described property', a, '{"a": 1}', true],
    ['another', a, '{"a": 1, "b": 2}', false],
    ['no description at all', { type: 'object' }, '{"a": 1, "b": {"c": 2}}', true],
    ['a description of no properties', { type: 'object', properties: {} }, '{"b": 2}', false],
    ['an object without any', { type: 'object', properties: {} }, '{}', true],
    ['others by choice', { ...a, additionalProperties: true }, '{"a": 1, "b": 2}', true],
    ['others of a type', { ...a, additionalProperties: { type: 'null' } }, '{"a": 1, "b": null}', true],
    ['others of another type', { ...a, additionalProperties: { type: 'null' } }, '{"b": 2}', false, false],
    ['no others by choice', { ...a, additionalProperties: false }, '{"a": 1, "b": 2}', false, false],
    ['others, told as unevaluated', { allOf: [a], unevaluatedProperties: true }, '{"a": 1, "b": 2}', true],
    ['no others, told so', { allOf: [a], unevaluatedProperties: false }, '{"b": 2}', false, false],
    ['none beside its own, told so', { ...a, unevaluatedProperties: false }, '{"b": 2}', false, false],
    ['names of others', { ...a, propertyNames: { pattern: '^[a-c]$' } }, '{"b": 2}', true],
    ['a property that matches a pattern', pattern, '{"x-y": 1}', true],
    ['one that matches none', pattern, '{"y": 1}', false],
    ['a pattern beside properties', { ...a, ...pattern }, '{"a": 1, "x-y": 1}', true],
    ['neither', { ...a, ...pattern }, '{"y": 1}', false],
    ['the properties of two schemas', { allOf: [a, b] }, '{"a": 1, "b": 2}', true],
    ['those of none of the two', { allOf: [a, b] }, '{"a": 1, "c": 3}', false],
    ['one of two open', { allOf: [a, { ...b, additionalProperties: true }] }, '{"c": 3}', true],
    ['beside a reference', { $ref: '#/$defs/a', ...b, $defs: { a } }, '{"b": 2, "a": 1}', true],
    ['behind a reference', { $ref: '#/$defs/a', $defs: { a } }, '{"b": 2}', false],
    ['one of two branches', { anyOf: [a, b] }, '{"b": 2}', true],
    ['both branches at once', { anyOf: [a, b] }, '{"a": 1, "b": 2}', false],
    ['required, not described', { ...a, required: ['c'] }, '{"c": [3]}', true],
    ['more than are described', { ...a, minProperties: 2 }, '{"a": 1, "b": 2}', true],
    ['what only an object without end has', { ...endless, minProperties: 1 }, '{"b": 2}', true],
    ['inside of a property', { properties: { o: a } }, '{"o": {"b": 2}}', false],
    ['a free map as a property', { properties: { o: { type: 'object' } } }, '{"o": {"b": 2}}', true],
    ['a constant', { ...a, enum: [{ b: 2 }] }, '{"b":2}', true],
    ['a negated description', { type: 'object', not: { ...a, required: ['a'] } }, '{"b": 2}', true],
  ])('%s: %j, %s', (_, schema, text, closed, open = true) => {
    const whole = { type: 'object', ...schema };
    expect(accepts(jsonSchemaGrammar(whole), text)).toBe(closed);
    const opened = jsonSchemaGrammar(whole, 'schema', createSchemaBudget(), { isOpen: true });
    expect(accepts(opened, text)).toBe(open);
  });
});

describe('what models write is allowed', () => {
  const person = {
    type: 'object',
    properties: {
      name: { type: 'string' },
      age: { type: 'integer', minimum: 0, maximum: 150 },
      tags: { type: 'array' },
    },
    required: ['name'],
  };
  test.each([
    [person, '{"name": "Ann", "age": 30, "tags": ["a", "b"]}', true],
    [person, '{"name":"Ann","age":30}', true],
    [person, '{\n  "name": "Zoë \\"Z\\" 日本",\n  "tags": [\n    1,\n    2.5e3\n  ]\n}', true],
    [person, '{"age": 30}', false],
    [person, '{"name": "Ann", "age": 151}', false],
    [person, '{"name": "Ann", "name": "Bob"}', false],
    [person, '{"name": "a\tb"}', false],
    [{ ...person, additionalProperties: true }, '{"name": "Ann", "nam": 1, "names": null}', true],
    [{ ...person, additionalProperties: true }, '{"name": "Ann", "age": 1, "age": "x"}', false],
    [{ ...person, additionalProperties: true }, '{"name": "Ann", "\\u0061ge": "x"}', false],
    [{ type: 'string', minLength: 2, maxLength: 3 }, '"a\\n\\ud83d\\ude00"', true],
    [{ type: 'string', maxLength: 1 }, '"\\ud83d\\ude00"', true],
    [{ type: 'string', maxLength: 1 }, '"😀"', true],
    [{ type: 'string' }, '"\\ud83d"', false],
    [{ type: 'number', minimum: 0.5, maximum: 2 }, '2.9', false],
    [{ type: 'number', minimum: 0.5, maximum: 2 }, '0.49', false],
    [{ type: 'number', minimum: 0.5, maximum: 2 }, '0.5', true],
    [{ type: 'number', minimum: 0.5, maximum: 2 }, '2.000', true],
    [{ type: 'number', maximum: 99999999999999.98 }, '12345.67', true],
    [{ type: 'number', maximum: 99999999999999.98 }, '99999999999999.9', true],
    [{ type: 'number', maximum: 99999999999999.98 }, '99999999999999.99', false],
    [{ type: 'number', minimum: -99999999999999.98, maximum: 0.5 }, '-12345.1234567891', true],
    [{ type: 'number', minimum: 3 }, '12345.1234567891', true],
    [{ type: 'number', exclusiveMaximum: 2 }, '2.0', false],
    [{ type: 'number', exclusiveMaximum: 2 }, '1.9999', true],
    [{ type: 'number' }, '-1.5e-7', true],
    [{ type: 'number' }, '01', false],
    [{ type: 'integer', minimum: -3 }, '-3', true],
    [{ type: 'integer', minimum: -3 }, '-4', false],
    [{ type: 'integer', minimum: 5 }, '123456', true],
    [{ enum: Array.from({ length: 5000 }, (_, index) => `v${index}`) }, '"v4999"', true],
    [{ type: 'string', format: 'duration' }, '"P1Y2M3DT4H5M6S"', true],
    [{ type: 'string', format: 'duration' }, '"PT1H2S"', false],
    [{ type: 'string', format: 'date' }, '"2023-02-29"', false],
    [{ type: 'string', pattern: '(ab){2,}' }, '"xxababyy"', true],
    [{ type: 'string', pattern: '^(?<year>\\d{4})|b$' }, '"2024 and on"', true],
    [{ type: 'string', pattern: '^(a?){0,3}$' }, '"aaa"', true],
    [{ type: 'string', pattern: '^(a?){0,3}$' }, '"aaaa"', false],
    [{ type: 'string', pattern: '^(a|aa){0,5}$' }, '"aaaaaaaaaa"', true],
    [{ type: 'string', pattern: '^(a|aa){0,5}$' }, '"aaaaaaaaaaa"', false],
    [{ type: 'string', pattern: '^a{1x$' }, '"a{1x"', true],
    [{ type: 'string', pattern: '^a{1x$' }, '"a1x"', false],
    [{ type: 'string', pattern: '^a{000000000000000000000000002}$' }, '"aa"', true],
    [{ type: 'string', pattern: '^(a*)*$' }, '"aaaa"', true],
    [{ type: 'string', pattern: '^\\p{Lu}\\P{Lu}+$' }, '"Éa😀"', true],
    [{ type: 'string', pattern: '^\\p{Lu}\\P{Lu}+$' }, '"éa"', false],
    [{ type: 'string', pattern: '^\\p{Emoji_Presentation}$' }, '"😀"', true],
    [{ type: 'string', pattern: '^(a(?=b)|c(?!d)).*$' }, '"ab"', true],
    [{ type: 'string', pattern: '^(a(?=b)|c(?!d)).*$' }, '"ac"', false],
    [{ type: 'string', pattern: '^(a(?=b)|c(?!d)).*$' }, '"cd"', false],
    [{ type: 'string', pattern: '^(a(?=b)|c(?!d)).*$' }, '"c"', true],
    [{ type: 'string', pattern: '^x(a(?=b))?.$' }, '"xab"', true],
    [{ type: 'string', pattern: '^x(a(?=b))?.$' }, '"xac"', false],
    [{ type: 'string', pattern: '^x(a(?=b))?.$' }, '"xc"', true],
  ])('%j: %s → %s', (schema, text, expected) => {
    expect(accepts(jsonSchemaGrammar(schema), text)).toBe(expected);
  });
});

describe('references', () => {
  const base = { $id: 'http://localhost/base/', definitions: { a: { type: 'boolean' } } };
  const other = { $id: 'http://localhost/a.json', type: 'integer' };
  const beside = { $id: 'http://localhost/base/', $ref: 'a.json' };
  const inBase = { $id: 'http://localhost/base/a.json', type: 'string' };

  test.each<[name: string, schema: object, text: string, expected: boolean]>([
    ['by a path from the root', { ...base, definitions: { other }, $ref: '/a.json' }, '1', true],
    [
      'beside an id, which is the base',
      { definitions: { other, inBase }, allOf: [{ ...beside }] },
      '"a"',
      true,
    ],
    [
      'beside an id, which says nothing until draft 7',
      {
        $schema: 'http://json-schema.org/draft-07/schema#',
        $id: 'http://localhost/',
        definitions: { other, inBase },
        allOf: [{ ...beside }],
      },
      '1',
      true,
    ],
  ])('%s', (_, schema, text, expected) => {
    expect(accepts(jsonSchemaGrammar(schema), text)).toBe(expected);
  });

  test('to a name that two schemas have are refused', () => {
    const schema = { definitions: { a: other, b: { ...other } }, $ref: 'http://localhost/a.json' };
    expect(() => jsonSchemaGrammar(schema)).toThrow('schema.$ref: expected an `$id` that one schema has');
  });
});

describe('strings under a pattern are written plainly', () => {
  const allows = (schema: object, text: string): boolean => accepts(jsonSchemaGrammar(schema), text);
  const order = { type: 'string', pattern: '^ORD-\\d{6}$' };
  const names = { type: 'object', patternProperties: { '^[a-z]{2}$': true }, additionalProperties: false };

  test.each<[string, object, string, boolean]>([
    ['plain letters', order, '"ORD-123456"', true],
    ['an escaped letter', order, '"\\u004fRD-123456"', false],
    ['an escaped hyphen', order, '"ORD\\u002d123456"', false],
    ['a date', { type: 'string', format: 'date' }, '"2026-01-31"', true],
    ['an escaped digit of a date', { type: 'string', format: 'date' }, '"\\u0032026-01-31"', false],
    ['an escaped slash', { type: 'string', format: 'uri' }, '"https:\\/\\/a.b"', false],
    ['the slash', { type: 'string', format: 'uri' }, '"https://a.b"', true],
    ['quotes', { type: 'string', pattern: '^"\\\\$' }, '"\\"\\\\"', true],
    ['quotes by their number', { type: 'string', pattern: '^"$' }, '"\\u0022"', false],
    ['a line break', { type: 'string', pattern: '^a\\nb$' }, '"a\\nb"', true],
    ['a control character', { type: 'string', pattern: '^\\x01$' }, '"\\u0001"', true],
    ['a control character beside letters', { type: 'string', pattern: '^[\\x01a]$' }, '"\\u0001"', false],
    ['another plane', { type: 'string', pattern: '^.$' }, '"😀"', true],
    ['another plane by surrogates', { type: 'string', pattern: '^.$' }, '"\\ud83d\\ude00"', false],
    ['a key', names, '{"ab": 1}', true],
    ['an escaped key', names, '{"\\u0061b": 1}', false],
    ['an escaped name', { type: 'object', propertyNames: { pattern: '^a' } }, '{"\\u0061": 1}', false],
    ['what is ruled out', { type: 'string', not: { const: 'a' } }, '"\\u0062"', false],
    [
      'items that differ',
      { items: { enum: ['a', 'b'] }, uniqueItems: true, type: 'array' },
      '["\\u0061"]',
      false,
    ],
    ['a free string', { type: 'string' }, '"\\u0061\\/"', true],
  ])('%s', (_, schema, text, expected) => {
    expect(allows(schema, text)).toBe(expected);
  });

  test('a model that lacks bytes escapes what is no ASCII', () => {
    const grammar = jsonSchemaGrammar({ type: 'string', pattern: '^[é😀a]*$' });
    for (const writesAll of [true, false]) {
      const automaton = new Automaton(createProgram(grammar, writesAll));
      const isIn = (text: string): boolean =>
        automaton.after(automaton.start(), new TextEncoder().encode(text)).mayEnd;
      expect(isIn('"é😀a"')).toBe(true);
      expect(isIn('"\\ud83d\\ude00\\u00e9"')).toBe(!writesAll);
      expect(isIn('"\\u0061"')).toBe(false);
    }
  });
});

describe('constants that differ, beside other keywords of arrays', () => {
  const letters = ['a', 'b', 'c'];
  const items = { enum: letters };
  const lists = (longest: number): string[][] =>
    longest === 0
      ? [[]]
      : [[], ...lists(longest - 1).flatMap((list) => letters.map((letter) => [letter, ...list]))];
  test.each<[object, (list: readonly string[]) => boolean]>([
    [{ items, contains: { const: 'b' } }, (list) => list.includes('b')],
    [{ items, contains: { enum: ['b', 'c'] }, minContains: 2 }, (list) => /b.*c|c.*b/.test(list.join(''))],
    [{ items, contains: { const: 'b' }, minContains: 0, maxContains: 0 }, (list) => !list.includes('b')],
    [
      { items, contains: { pattern: '^[ab]$' }, maxItems: 2 },
      (list) => list.length < 3 && /a|b/.test(list.join('')),
    ],
    [{ prefixItems: [{ enum: ['a', 'b'] }], items }, (list) => list[0] !== 'c'],
    [
      { items, allOf: [{ contains: { const: 'a' } }, { contains: { const: 'c' } }] },
      (list) => /a.*c|c.*a/.test(list.join('')),
    ],
  ])('%j', (schema, isValid) => {
    const grammar = jsonSchemaGrammar({ type: 'array', uniqueItems: true, ...schema });
    for (const list of lists(4)) {
      const expected = new Set(list).size === list.length && isValid(list);
      expect([list, accepts(grammar, JSON.stringify(list))]).toEqual([list, expected]);
    }
  });

  test('a number, its text and a word are three of them', () => {
    const schema = {
      type: 'array',
      items: { enum: [1, '1', true] },
      uniqueItems: true,
      contains: { const: 1 },
    };
    expect(accepts(jsonSchemaGrammar(schema), '[1,"1",true]')).toBe(true);
    expect(accepts(jsonSchemaGrammar(schema), '[1,1]')).toBe(false);
  });
});

describe('numbers are those of JSON', () => {
  const integer = { type: 'integer' };
  const number = { type: 'number' };
  test.each<[object, string, boolean]>([
    [integer, '1700000000000000', true],
    [integer, '9007199254740991', true],
    [integer, '-9007199254740991', true],
    [integer, '18446744073709551615', true],
    [integer, '-99999999999999999999', true],
    [integer, '123456789012345678901', false],
    [{ ...integer, minimum: 1 }, '18446744073709551615', true],
    [{ ...integer, maximum: 10n ** 25n }, '9999999999999999999999999', true],
    [{ ...integer, maximum: 9007199254740993n }, '9007199254740993', true],
    [{ ...integer, maximum: 9007199254740993n }, '9007199254740994', false],
    [{ ...integer, minimum: 9007199254740993n }, '9007199254740992', false],
    [{ ...integer, exclusiveMinimum: 12345678901234567890n }, '12345678901234567891', true],
    [{ ...integer, exclusiveMinimum: 12345678901234567890n }, '12345678901234567890', false],
    [{ const: 12345678901234567891n }, '12345678901234567891', true],
    [{ const: 12345678901234567891n }, '12345678901234567000', false],
    [{ enum: [12345678901234567891n, 1] }, '12345678901234567891', true],
    [{ ...integer, not: { const: 12345678901234567891n } }, '12345678901234567891', false],
    [{ ...integer, not: { const: 12345678901234567891n } }, '12345678901234567892', true],
    [{ enum: [12345678901234567891n, 3], maximum: 12345678901234567890n }, '12345678901234567891', false],
    [{ type: 'number' }, '1234567890123456789', true],
    [{ type: 'number', minimum: 0.5 }, '12345678901234567890', true],
    [{ ...integer, minimum: 1 }, '9007199254740991', true],
    [{ ...integer, minimum: 1, multipleOf: 7 }, '9007199254740987', false],
    [number, '0.30000000000000004', true],
    [number, '0.000001234567890123456', true],
    [number, '12345678901234567', true],
    [number, '1.2345678901234567', true],
    [number, '123456789012345678', true],
    [number, '123456789012345678.5', false],
    [number, '1e100', true],
    [number, '1.7976931348623157e308', true],
    [number, '1.8e308', false],
    [number, '5e-324', true],
    [number, '4.9e-323', true],
    [number, '12e99', true],
    [number, '12e308', false],
    [{ ...number, minimum: 0 }, '1e100', true],
    [{ ...number, minimum: 0 }, '-1', false],
    [{ ...number, minimum: 0, maximum: 1 }, '0.30000000000000004', true],
    [{ ...number, exclusiveMinimum: 0.3 }, '0.30000000000000001', false],
    [{ ...number, exclusiveMinimum: 0.3 }, '0.30000000000001', true],
    [{ ...number, not: { const: 1e20 } }, '1e20', false],
    [{ ...number, not: { const: 1e20 } }, '100000000000000000000', false],
  ])('%o: %s → %s', (schema, text, expected) => {
    expect(accepts(jsonSchemaGrammar(schema), text)).toBe(expected);
  });

  test('every double that a program writes, and none beyond the largest', () => {
    const isIn = acceptor(jsonSchemaGrammar(number));
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e21, max: 1e21 }), (value) => {
        const text = String(value);
        // Whole numbers of more digits have none of their own.
        fc.pre(!/^-?\d{18}/.test(text));
        expect(isIn(text), text).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});

test.each(['{ "a" : 1 }', '{\t"a"\t:\t1\t}', '{"a":    1 , "b": [ 1 , 2 ]}', '{\r\n\t"a": 1\r\n}'])(
  'white space of people: %j',
  (text) => {
    const schema = { type: 'object', additionalProperties: true };
    expect(accepts(jsonSchemaGrammar(schema), text)).toBe(true);
    expect(accepts(jsonSchemaGrammar({ type: 'object', properties: { a: true, b: true } }), text)).toBe(true);
    expect(accepts(jsonSchemaGrammar(schema), text.replace('{', `{${' '.repeat(5)}`))).toBe(false);
  },
);

describe('distinct keys', () => {
  const pairs = { type: 'object', patternProperties: { '^[a-z]{2}$': { type: 'integer' } } };
  const closed = { ...pairs, additionalProperties: false, minProperties: 2 };
  const nested = {
    type: 'object',
    minProperties: 2,
    additionalProperties: { type: 'object', minProperties: 2 },
  };

  test.each<[object, string, boolean]>([
    [closed, '{"aa":1,"bb":2}', true],
    [closed, '{"aa":1,"aa":2}', false],
    [closed, '{"aa":1}', false],
    [closed, '{"aa":1,"bb":2,"aa":3}', false],
    [{ ...closed, maxProperties: 2 }, '{"aa":1,"bb":2,"cc":3}', false],
    [
      { ...closed, minProperties: 20 },
      `{${Array.from({ length: 20 }, (_, n) => `"a${'abcdefghijklmnopqrst'[n]}":1`).join()}}`,
      true,
    ],
    [{ ...closed, properties: { aa: true }, minProperties: 3 }, '{"aa":1,"bb":2,"cc":3}', true],
    [{ ...closed, properties: { aa: true }, minProperties: 3 }, '{"aa":1,"bb":2,"aa":3}', false],
    [
      { ...closed, patternProperties: { ...closed.patternProperties, '^x': { type: 'null' } } },
      '{"aa":1,"x":null}',
      true,
    ],
    [
      { ...closed, patternProperties: { ...closed.patternProperties, '^x': { type: 'null' } } },
      '{"x":null,"x":null}',
      false,
    ],
    [{ type: 'object', minProperties: 2 }, '{"a":1,"b":{"a":1}}', true],
    [{ type: 'object', minProperties: 2 }, '{"a":1,"\\u0061":1}', false],
    [nested, '{"a":{"a":1,"b":2},"b":{"a":1,"b":2}}', true],
    [nested, '{"a":{"a":1,"a":2},"b":{"a":1,"b":2}}', false],
    [nested, '{"a":{"a":1,"b":2},"a":{"a":1,"b":2}}', false],
  ])('%j: %s → %s', (schema, text, expected) => {
    expect(accepts(jsonSchemaGrammar(schema), text)).toBe(expected);
  });

  test('more keys than there are is what is refused', () => {
    const schema = { ...closed, patternProperties: { '^[ab]$': true }, minProperties: 3 };
    expect(() => jsonSchemaGrammar(schema)).toThrow('expected a schema that some finite document matches');
    expect(accepts(jsonSchemaGrammar({ ...schema, minProperties: 2 }), '{"b":1,"a":2}')).toBe(true);
  });
});
