import { getOrCreate } from '../../get-or-create.ts';
import {
  choice,
  empty,
  never,
  refer,
  repeat,
  rule,
  sequence,
  type Expression,
  type Rule,
} from '../languages/expression.ts';
import { listOf } from '../languages/json-text.ts';
import type { Notation } from './notation.ts';
import type { Clause } from './clauses.ts';
import type { Literal, SchemaDocument } from './document.ts';
import type { DistinctItems } from './distinct.ts';
import { itemSchemas } from './evaluate.ts';
import { readCount, readSchemas, schemaFault, typeBits } from './keywords.ts';
import type { Schema } from './json-types.ts';

/** Items of which an array has so many. */
interface Need {
  readonly literal: Literal;
  readonly from: number;
  readonly min: number;
  /** Items beyond have to break the literal. */
  readonly max: number;
}

/** Counts of the needs after an item, and the literals that the item satisfies then. */
interface Outcome {
  readonly counts: readonly number[];
  readonly literals: readonly Literal[];
}

/** States of a list: how many items there are (no more than matter), and how many of them each need has. */
const maxStates = 4000;

/** Makes the expression of a value that satisfies all literals. */
export type ValueOf = (literals: readonly Literal[], path: string, notation: Notation) => Expression;

/** Items as texts of one language; `undefined` where they aren't. */
export type ReadDistinct = (literals: readonly Literal[], path: string) => DistinctItems | undefined;

/** Arrays that satisfy the conditions. */
export function arrayOf(
  clause: Clause,
  document: SchemaDocument,
  notation: Notation,
  valueOf: ValueOf,
  distinctItems: ReadDistinct,
): Expression {
  const { comma } = notation;
  const itemOf = (literals: readonly Literal[], at: string): Expression =>
    valueOf(literals, at, notation.ofItem());
  if (!(clause.types & typeBits.array)) return never;
  const schemas = clause.atoms.flatMap((atom) => (atom.kind === 'schema' ? [atom] : []));
  const needs: Need[] = [];
  let min = 0;
  let max = Infinity;
  let heads = 0;
  let path = '';
  for (const atom of clause.atoms) {
    if (atom.kind === 'some-item') {
      path = atom.path;
      needs.push({ literal: atom.literal, from: atom.from, min: 1, max: Infinity });
    }
    if (atom.kind !== 'schema') continue;
    const { schema } = atom;
    path = atom.path;
    if (schema['prefixItems'] !== undefined) readSchemas(schema['prefixItems'], `${path}.prefixItems`);
    heads = Math.max(heads, itemSchemas(schema).heads.length);
    min = Math.max(min, readCount(schema, 'minItems', path, 0));
    max = Math.min(max, readCount(schema, 'maxItems', path, Infinity));
    const need = containedOf(schema, path, document);
    if (need) needs.push(need);
  }
  if (min > max) return never;
  const unevaluated = clause.atoms.flatMap((atom) => {
    if (atom.kind !== 'unevaluated' || atom.of !== 'items') return [];
    const { evaluated, literal } = atom;
    const contained = evaluated.flatMap(({ contains }) => (contains === undefined ? [] : [contains]));
    if (contained.length === 0) return [atom];
    const either = document.literal({ anyOf: [...contained, literal.schema] }, literal.path);
    return [{ evaluated, literal: either }];
  });
  const literalsAt = (index: number): Literal[] => {
    const literals = schemas.map(({ schema, path: at }) => {
      const { heads: own, rest, restKeyword } = itemSchemas(schema);
      return index < own.length
        ? document.literal(
            own[index],
            `${at}.${schema['prefixItems'] === undefined ? 'items' : 'prefixItems'}[${index}]`,
          )
        : document.literal(rest, `${at}.${restKeyword}`);
    });
    for (const { evaluated, literal } of unevaluated) {
      if (!evaluated.some((schema) => evaluatesItem(schema, index))) literals.push(literal);
    }
    return literals;
  };
  heads = Math.max(
    heads,
    ...unevaluated.flatMap(({ evaluated }) => evaluated.map((schema) => itemSchemas(schema).heads.length)),
  );
  const unique = schemas.find(({ schema }) => schema['uniqueItems'] === true && max > 1);
  if (unique) {
    const place = `${unique.path}.uniqueItems`;
    const items = heads > 0 || needs.length > 0 ? undefined : distinctItems(literalsAt(0), path);
    if (!items) throw schemaFault(place, 'expected `items` that are strings, numbers or constants');
    return notation.array({
      type: 'distinct',
      item: items.item,
      separator: comma,
      min,
      max: Math.min(max, items.count),
    });
  }
  if (needs.length > 0) return notation.array(listWith());
  const rest = itemOf(literalsAt(heads), path);
  if (heads === 0) {
    const isAny = rest === notation.ofItem().anyValue && min === 0 && max === Infinity;
    if (isAny && notation.anyArray) return notation.anyArray;
    return notation.array(listOf(rest, { min, max }, comma));
  }
  const most = Math.min(heads, max);
  let content = repeat(sequence(comma, rest), {
    min: Math.max(0, min - heads),
    max: Math.max(0, max - heads),
  });
  if (most < heads) content = empty;
  for (let index = most - 1; index >= 0; index--) {
    const some = sequence(...(index > 0 ? [comma] : []), itemOf(literalsAt(index), path), content);
    content = index < min ? some : choice(some, empty);
  }
  return notation.array(content);

  /** Lists that count items of several kinds, as a rule for each count. */
  function listWith(): Expression {
    const lastCount = Math.max(min, heads, max === Infinity ? 0 : max, ...needs.map(({ from }) => from));
    const rules = new Map<string, Rule>();
    const waiting: { isFirst: boolean; count: number; found: readonly number[]; rule: Rule }[] = [];
    const stateOf = (count: number, found: readonly number[]): Expression => {
      const known = max === Infinity ? Math.min(count, lastCount) : count;
      const key = `${known},${found.join()},${count === 0}`;
      const state = getOrCreate(rules, key, () => {
        if (rules.size >= maxStates) throw schemaFault(path, 'expected fewer items to count');
        const own = rule(`items ${key}`);
        waiting.push({ isFirst: count === 0, count: known, found, rule: own });
        return own;
      });
      return refer(state);
    };
    const none = needs.map(() => 0);
    const start = stateOf(0, none);
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const { isFirst, count, found, rule: state } = next;
      const branches: Expression[] = [];
      if (count >= min && needs.every((need, index) => found[index]! >= need.min)) branches.push(empty);
      if (count < max) {
        for (const { counts, literals } of outcomes(found, count)) {
          const item = itemOf([...literalsAt(count), ...literals], path);
          branches.push(sequence(...(isFirst ? [] : [comma]), item, stateOf(count + 1, counts)));
        }
      }
      state.body = choice(...branches);
    }
    return start;
  }

  /** Outcomes of the next item: whether it matches matters only while it is counted. */
  function outcomes(found: readonly number[], count: number): readonly Outcome[] {
    return needs.reduce<Outcome[]>(
      (ways, { literal, from, min: least, max: limit }, index) => {
        const done = found[index]!;
        const isCounted = count >= from && (limit < Infinity || done < least);
        return ways.flatMap(({ counts, literals }) => {
          const skip = {
            counts: [...counts, done],
            literals:
              isCounted && limit < Infinity
                ? [...literals, document.literal(literal.schema, literal.path, { negated: !literal.negated })]
                : literals,
          };
          const take = { counts: [...counts, done + 1], literals: [...literals, literal] };
          return isCounted && done < limit ? [skip, take] : [skip];
        });
      },
      [{ counts: [], literals: [] }],
    );
  }
}

function containedOf(schema: Schema, path: string, document: SchemaDocument): Need | undefined {
  if (schema['contains'] === undefined) return undefined;
  const min = readCount(schema, 'minContains', path, 1);
  const max = readCount(schema, 'maxContains', path, Infinity);
  if (min === 0 && max === Infinity) return undefined;
  return { literal: document.literal(schema['contains'], `${path}.contains`), from: 0, min, max };
}

function evaluatesItem(schema: Schema, index: number): boolean {
  const { items, prefixItems, additionalItems, unevaluatedItems } = schema;
  if (unevaluatedItems !== undefined) return true;
  if (Array.isArray(items)) return index < items.length || additionalItems !== undefined;
  return items !== undefined || (Array.isArray(prefixItems) && index < prefixItems.length);
}
