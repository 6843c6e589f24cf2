import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { CompiledGrammar } from '../../../src/core/grammar/engine/matcher.ts';
import { createSchemaBudget } from '../../../src/core/grammar/schemas/size.ts';
import { toyVocabulary } from './walk.ts';
import { compileGrammar, jsonSchemaGrammar } from './all-at-once.ts';

// The JSON Schema Test Suite, draft 2020-12, a group of tests a line; its licence lies beside it.
interface Group {
  readonly file: string;
  readonly description: string;
  readonly schema: unknown;
  readonly tests: readonly {
    readonly description: string;
    readonly data: unknown;
    readonly valid: boolean;
  }[];
}
const groups = readFileSync(new URL('official-suite/draft2020-12.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Group);
const bytes = toyVocabulary();

/** Valid documents that a grammar doesn't write, by the reason. */
const narrower: Readonly<Record<string, readonly string[]>> = {
  'alternatives of anyOf are not mixed under unevaluatedProperties': [
    'unevaluatedProperties: when two match and has no unevaluated properties',
  ],
  'vocabularies are not read': ['vocabulary: no validation: invalid number, but it still validates'],
};

/** Schemas that are refused, by the reason. */
const refused: Readonly<Record<string, readonly string[]>> = {
  'a document elsewhere': [
    'defs: validate definition against metaschema',
    'dynamicRef: $ref and $dynamicAnchor are independent of order - $defs first',
    'dynamicRef: $ref and $dynamicAnchor are independent of order - $ref first',
    'dynamicRef: $ref to $dynamicRef finds detached $dynamicAnchor',
    'dynamicRef: strict-tree schema, guards against misspelled properties',
    'dynamicRef: tests for implementation dynamic anchor and reference link',
    'ref: remote ref, containing refs itself',
    'refRemote: $ref to $ref finds detached $anchor',
    'refRemote: Location-independent identifier in remote ref',
    'refRemote: anchor within remote ref',
    'refRemote: base URI change',
    'refRemote: base URI change - change folder',
    'refRemote: base URI change - change folder in subschema',
    'refRemote: fragment within remote ref',
    'refRemote: ref within remote ref',
    'refRemote: remote HTTP ref with different $id',
    'refRemote: remote HTTP ref with different URN $id',
    'refRemote: remote HTTP ref with nested absolute ref',
    'refRemote: remote ref',
    'refRemote: remote ref with ref to defs',
    'refRemote: retrieved nested refs resolve relative to their URI not $id',
    'refRemote: root ref in remote ref',
  ],
  'dynamic anchors of several parts, none of them the root': [
    'dynamicRef: $dynamicRef skips over intermediate resources - direct reference',
    'dynamicRef: after leaving a dynamic scope, it is not used by a $dynamicRef',
    'dynamicRef: multiple dynamic paths to the $dynamicRef keyword',
  ],
  'different items of any kind': [
    'uniqueItems: uniqueItems validation',
    'uniqueItems: uniqueItems with an array of items',
  ],
  'unevaluated properties under not': [
    "not: collect annotations inside a 'not', even if collection is disabled",
  ],
  'a step of nine decimals': ['multipleOf: float division = inf'],
};

/** Ways to write a value: the order of members is no matter of the schema. */
function writings(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [JSON.stringify(value)];
  if (Array.isArray(value)) return joined(value.map(writings)).map((items) => `[${items}]`);
  return orders(Object.entries(value)).flatMap((members) =>
    joined(
      members.map(([name, inner]) => writings(inner).map((text) => `${JSON.stringify(name)}:${text}`)),
    ).map((content) => `{${content}}`),
  );
}

function joined(parts: readonly (readonly string[])[]): string[] {
  const [first, ...rest] = parts;
  if (!first) return [''];
  return first.flatMap((text) => joined(rest).map((more) => (rest.length > 0 ? `${text},${more}` : text)));
}

function orders<Item>(items: readonly Item[]): Item[][] {
  if (items.length < 2) return [[...items]];
  return items.flatMap((item, index) => orders(items.toSpliced(index, 1)).map((rest) => [item, ...rest]));
}

function isAllowed(grammar: CompiledGrammar, text: string): boolean {
  const matcher = grammar.createMatcher();
  try {
    for (const byte of new TextEncoder().encode(text)) matcher.accept(byte);
  } catch {
    return false;
  }
  return matcher.mayEnd;
}

function outcomeOf(isOpen: boolean): Record<'accepted' | 'rejected' | 'refused', string[]> {
  const outcome = { accepted: [] as string[], rejected: [] as string[], refused: [] as string[] };
  for (const { file, description, schema, tests } of groups) {
    let grammar: CompiledGrammar | undefined;
    try {
      grammar = compileGrammar(jsonSchemaGrammar(schema, 'schema', createSchemaBudget(), { isOpen }), bytes);
    } catch (error) {
      const { message } = error as RangeError;
      if (!message.includes('some finite document')) {
        outcome.refused.push(`${file}: ${description}`);
        continue;
      }
    }
    for (const { description: name, data, valid } of tests) {
      const allowed = grammar !== undefined && writings(data).some((text) => isAllowed(grammar, text));
      if (allowed !== valid) outcome[allowed ? 'accepted' : 'rejected'].push(`${file}: ${name}`);
    }
  }
  return outcome;
}

const sorted = (lists: Readonly<Record<string, readonly string[]>>): string[] =>
  Object.values(lists).flat().sort();

test('no document that is invalid is written, and the schemas that are refused are known', () => {
  const { accepted, rejected, refused: own } = outcomeOf(true);
  expect(accepted).toEqual([]);
  // Formats are enforced.
  expect(rejected.filter((name) => !name.startsWith('format: ')).sort()).toEqual(sorted(narrower));
  expect(own.sort()).toEqual(sorted(refused));
});

test('nor is one where objects are closed', () => {
  expect(outcomeOf(false).accepted).toEqual([]);
});
