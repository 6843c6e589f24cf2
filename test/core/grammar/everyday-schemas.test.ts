import { Validator, type Schema } from '@cfworker/json-schema';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { accepts, jsonPieces, randomWalk, toyVocabulary } from './walk.ts';
import { compileGrammar, jsonSchemaGrammar } from './all-at-once.ts';

const vocabulary = toyVocabulary(...jsonPieces);
const walks = 6;
/** Random characters hardly ever come to such an end. */
const unlikelyToEnd = new Set(['endsWith', 'two patterns']);

const address = z.object({
  street: z.string(),
  zip: z.string().regex(/^\d{5}$/),
  country: z.string().length(2),
});
const category: z.ZodType = z.lazy(() => z.object({ name: z.string(), children: z.array(category) }));
const shape = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('circle'), radius: z.number().positive() }),
  z.object({ kind: z.literal('square'), side: z.number().positive() }),
]);

/** What people write with zod 4: a name, a type, values that it allows, values that it doesn't. */
const everyday: readonly [string, z.ZodType, readonly unknown[], readonly unknown[]][] = [
  ['string', z.string(), ['', 'a "b" \n é'], [1, null]],
  ['number', z.number(), [0, -1.5, 1e21], ['1']],
  ['integer', z.number().int(), [3, -9007199254740991, 9007199254740991], [1.5, '3']],
  ['z.int32', z.int32(), [-2147483648], [2147483648]],
  ['boolean', z.boolean(), [true, false], [0, 'true']],
  ['null', z.null(), [null], [0]],
  ['literal', z.literal('a'), ['a'], ['b']],
  ['z.emoji', z.emoji(), ['😀', '👩‍💻', '🇫🇷'], ['', 'a', '1', '😀a']],
  ['z.iso.duration', z.iso.duration(), ['P1Y2M3DT4H5M6S', 'P3W', 'PT5S'], ['P', 'PT', 'P1W2D', '1Y']],
  ['literals', z.literal(['a', 1, null]), ['a', 1, null], ['b', 2]],
  ['enum', z.enum(['red', 'green']), ['red'], ['blue', 'RED']],
  ['nullable', z.string().nullable(), ['a', null], [1]],
  ['optional property', z.object({ a: z.string().optional() }), [{}, { a: 'x' }], [{ a: null }]],
  ['default', z.object({ a: z.number().default(3) }), [{ a: 1 }], [{ a: 'x' }]],
  ['array', z.array(z.number()), [[], [1, 2]], [['a']]],
  [
    'array with bounds',
    z.array(z.boolean()).min(1).max(2),
    [[true], [true, false]],
    [[], [true, true, true]],
  ],
  ['tuple', z.tuple([z.string(), z.number()]), [['a', 1]], [['a'], ['a', 1, 2], [1, 'a']]],
  ['tuple with rest', z.tuple([z.string()]).rest(z.number()), [['a'], ['a', 1, 2]], [[], ['a', 'b']]],
  ['strict object', z.strictObject({ a: z.number() }), [{ a: 1 }], [{}, { a: 1, b: 2 }]],
  ['loose object', z.looseObject({ a: z.number() }), [{ a: 1 }, { a: 1, b: 'x' }], [{ b: 1 }, { a: 'x' }]],
  ['catchall', z.object({ a: z.string() }).catchall(z.number()), [{ a: 'x', b: 1 }], [{ a: 'x', b: 'y' }]],
  ['record', z.record(z.string(), z.number()), [{}, { x: 1 }], [{ x: 'a' }]],
  [
    'record of a pattern',
    z.record(z.string().regex(/^[a-z]+$/), z.number()),
    [{ ab: 1 }],
    [{ AB: 1 }, { ab: 'x' }],
  ],
  [
    'record of an enum',
    z.record(z.enum(['a', 'b']), z.number()),
    [{ a: 1, b: 2 }],
    [{ a: 1 }, { a: 1, b: 2, c: 3 }],
  ],
  ['partial record', z.partialRecord(z.enum(['a', 'b']), z.number()), [{}, { b: 2 }], [{ c: 3 }]],
  [
    'email',
    z.email(),
    ['ann@example.com', "o'hara+x@mail.example.org"],
    ['ann', 'a@b', 'a..b@example.com', '@x.yz'],
  ],
  [
    'uuid',
    z.uuid(),
    ['123e4567-e89b-12d3-a456-426614174000'],
    ['123e4567', '123e4567-e89b-12d3-a456-42661417400g'],
  ],
  ['url', z.url(), ['https://example.com/a?b=c#d'], ['example', 'http//x']],
  ['date', z.iso.date(), ['2024-02-29', '2023-12-31'], ['2023-02-29', '2023-13-01', '23-1-1']],
  [
    'date-time',
    z.iso.datetime(),
    ['2024-02-29T12:00:00Z', '2024-01-01T00:00:00.123Z'],
    ['2024-02-29', '2024-01-01 00:00:00Z'],
  ],
  ['time', z.iso.time(), ['12:30:00'], ['25:00:00', '12']],
  ['base64', z.base64(), ['', 'YWJj', 'YQ=='], ['YQ', 'a$==']],
  ['ipv4', z.ipv4(), ['127.0.0.1'], ['256.0.0.1', '1.2.3']],
  ['startsWith', z.string().startsWith('SKU-'), ['SKU-1'], ['sku-1', 'XSKU-1']],
  ['endsWith', z.string().endsWith('.png'), ['a.png'], ['a.jpg']],
  ['includes', z.string().includes('@'), ['a@b'], ['ab']],
  [
    'regex with max',
    z
      .string()
      .regex(/^[A-Z]+$/)
      .max(3),
    ['A', 'ABC'],
    ['', 'ABCD', 'ab'],
  ],
  ['two patterns', z.string().startsWith('a').endsWith('z').min(3), ['abz'], ['az', 'abc']],
  ['lengths', z.string().min(2).max(4), ['ab', '😀😀'], ['a', 'abcde']],
  ['range', z.number().gt(0).lte(1), [0.5, 1], [0, 1.01]],
  ['multipleOf', z.number().multipleOf(0.05), [0.05, 1.15, 3], [0.01, 1.12]],
  ['integer multiples', z.number().int().multipleOf(7).nonnegative(), [0, 7, 700_000], [8, -7]],
  ['union', z.union([z.string().max(2), z.number()]), ['ab', 3], ['abc', null]],
  [
    'discriminated union',
    shape,
    [{ kind: 'circle', radius: 1 }],
    [{ kind: 'circle', side: 1 }, { kind: 'x' }],
  ],
  [
    'intersection',
    z.intersection(z.object({ a: z.string() }), z.object({ b: z.number() })),
    [{ a: 'x', b: 1 }],
    [{ a: 'x' }, { b: 1 }],
  ],
  [
    'extended object',
    address.extend({ city: z.string() }),
    [{ street: 's', zip: '12345', country: 'DE', city: 'B' }],
    [{ street: 's', zip: '1234', country: 'DE', city: 'B' }],
  ],
  [
    'nested',
    z.object({ user: z.object({ address, tags: z.array(z.string()).max(3) }) }),
    [{ user: { address: { street: '', zip: '12345', country: 'DE' }, tags: [] } }],
    [{ user: { address: {}, tags: [] } }],
  ],
  [
    'recursive',
    category,
    [{ name: 'a', children: [{ name: 'b', children: [] }] }],
    [{ name: 'a', children: [{ name: 'b' }] }],
  ],
  [
    'described',
    z.object({
      a: z
        .string()
        .describe('A name')
        .meta({ examples: ['x'] }),
    }),
    [{ a: 'x' }],
    [{}],
  ],
  ['any', z.object({ a: z.any(), b: z.unknown() }), [{ a: [1, { x: null }], b: 'x' }], [3]],
  ['never', z.object({ a: z.never().optional(), b: z.string() }), [{ b: 'x' }], [{ a: 1, b: 'x' }]],
];

const written = (value: unknown): string => JSON.stringify(value);

describe('types of zod', () => {
  test.each(everyday)('%s', (name, type, valid, invalid) => {
    const grammar = jsonSchemaGrammar(z.toJSONSchema(type));
    for (const value of valid) expect([value, accepts(grammar, written(value))]).toEqual([value, true]);
    for (const value of invalid) expect([value, accepts(grammar, written(value))]).toEqual([value, false]);
    const compiled = compileGrammar(grammar, vocabulary);
    for (let seed = 0; seed < walks && !unlikelyToEnd.has(name); seed++) {
      const text = randomWalk(compiled, vocabulary, { seed, patience: 10 + 5 * seed });
      expect([text, type.safeParse(JSON.parse(text)).error?.issues]).toEqual([text, undefined]);
    }
  });
});

/** What pydantic writes for its models. */
const models: readonly [string, Schema, readonly unknown[], readonly unknown[]][] = [
  [
    'optional fields and nested models',
    {
      $defs: {
        Address: {
          properties: {
            street: { title: 'Street', type: 'string' },
            zip: { pattern: '^\\d{5}$', title: 'Zip', type: 'string' },
          },
          required: ['street', 'zip'],
          title: 'Address',
          type: 'object',
        },
      },
      properties: {
        name: { maxLength: 10, minLength: 1, title: 'Name', type: 'string' },
        age: {
          anyOf: [{ exclusiveMinimum: 0, type: 'integer' }, { type: 'null' }],
          default: null,
          title: 'Age',
        },
        address: { anyOf: [{ $ref: '#/$defs/Address' }, { type: 'null' }], default: null },
        home: { $ref: '#/$defs/Address', description: 'Where', deprecated: true },
      },
      required: ['name'],
      title: 'Person',
      type: 'object',
    },
    [
      { name: 'Ann' },
      { name: 'Ann', age: 3, address: null },
      { name: 'A', home: { street: '', zip: '12345' } },
    ],
    [
      {},
      { name: '' },
      { name: 'A', age: 0 },
      { name: 'A', address: { street: 'x' } },
      { name: 'A', home: null },
    ],
  ],
  [
    'sets',
    {
      properties: {
        tags: { items: { type: 'string' }, title: 'Tags', type: 'array', uniqueItems: true },
        sizes: { items: { enum: [1, 2, 3] }, type: 'array', uniqueItems: true, minItems: 2 },
        values: { items: { type: 'number' }, type: 'array', uniqueItems: true },
      },
      required: ['tags', 'sizes'],
      type: 'object',
    },
    [
      { tags: [], sizes: [3, 1] },
      { tags: ['a', 'b', 'A'], sizes: [1, 2, 3], values: [1, 1.5, -1] },
    ],
    [
      { tags: ['a', 'b', 'a'], sizes: [1, 2] },
      { tags: [], sizes: [1, 1] },
      { tags: [], sizes: [1, 2, 3, 1] },
      { tags: [], sizes: [1, 2], values: [2, 2] },
    ],
  ],
  [
    'tagged unions',
    {
      $defs: {
        Cat: {
          properties: { pet: { const: 'cat', type: 'string' }, lives: { type: 'integer' } },
          required: ['pet', 'lives'],
          type: 'object',
        },
        Dog: {
          properties: { pet: { const: 'dog', type: 'string' }, name: { type: 'string' } },
          required: ['pet', 'name'],
          type: 'object',
        },
      },
      discriminator: { mapping: { cat: '#/$defs/Cat', dog: '#/$defs/Dog' }, propertyName: 'pet' },
      oneOf: [{ $ref: '#/$defs/Cat' }, { $ref: '#/$defs/Dog' }],
    },
    [
      { pet: 'cat', lives: 9 },
      { pet: 'dog', name: 'Rex' },
    ],
    [{ pet: 'cat', name: 'Rex' }, { pet: 'cow' }],
  ],
  [
    'decimals and dictionaries',
    {
      properties: {
        price: {
          anyOf: [
            { type: 'number', minimum: 0 },
            { pattern: '^(?!^[-+.]*$)[+-]?0*\\d*\\.?\\d*$', type: 'string' },
          ],
        },
        counts: {
          additionalProperties: { type: 'integer' },
          type: 'object',
          'x-note': 'ignored',
          example: {},
        },
      },
      required: ['price', 'counts'],
      additionalProperties: false,
      type: 'object',
    },
    [
      { price: 1.5, counts: {} },
      { price: '1.50', counts: { a: 1 } },
    ],
    [
      { price: -1, counts: {} },
      { price: '+-', counts: {} },
      { price: 1, counts: { a: 'x' } },
      { price: 1, counts: {}, more: 1 },
    ],
  ],
];

describe('models of pydantic', () => {
  test.each(models)('%s', (_, schema, valid, invalid) => {
    const grammar = jsonSchemaGrammar(schema);
    const validator = new Validator(schema, '2020-12', false);
    for (const value of valid) expect([value, accepts(grammar, written(value))]).toEqual([value, true]);
    for (const value of invalid) expect([value, accepts(grammar, written(value))]).toEqual([value, false]);
    const compiled = compileGrammar(grammar, vocabulary);
    for (let seed = 0; seed < walks; seed++) {
      const text = randomWalk(compiled, vocabulary, { seed, patience: 10 + 5 * seed });
      expect({ text, ...validator.validate(JSON.parse(text)) }).toMatchObject({ valid: true });
    }
  });
});
