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
import {
  canonicalText,
  itemSchemas,
  readCount,
  readCounts,
  readSchemas,
  schemaFault,
  typeBits,
} from './keywords.ts';
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

/** A place in a list: items before it, those of each need, and which of them can't come again. */
interface ListState {
  readonly count: number;
  readonly found: readonly number[];
  /** Sorted texts; empty where items may be equal. */
  readonly used: readonly string[];
}

/** States of a list: how many items there are (no more than matter), and how many of them each need has. */
const maxStates = 4000;

/** Makes the expression of a value that satisfies all literals. */
export type ValueOf = (literals: readonly Literal[], path: string, notation: Notation) => Expression;

/** Items that have to differ; both are `undefined` for literals that don't allow it. */
export interface DistinctReader {
  /** As texts of one language. */
  items(literals: readonly Literal[], path: string): DistinctItems | undefined;
  /** One by one. */
  constants(literals: readonly Literal[], path: string): readonly unknown[] | undefined;
}

/** Arrays that satisfy the conditions. */
export function arrayOf(
  clause: Clause,
  document: SchemaDocument,
  notation: Notation,
  valueOf: ValueOf,
  distinct: DistinctReader,
): Expression {
  const { comma } = notation;
  const itemOf = (literals: readonly Literal[], at: string): Expression =>
    valueOf(literals, at, notation.ofItem());
  if (!(clause.types & typeBits.array)) return never;
  const schemas = clause.atoms.filter((atom) => atom.kind === 'schema');
  const { min, max } = readCounts(schemas, 'Items');
  if (min > max) return never;
  const needs = clause.atoms.flatMap((atom): readonly Need[] => {
    if (atom.kind === 'schema') return containedOf(atom.schema, atom.path, document);
    if (atom.kind !== 'some-item') return [];
    return [{ literal: atom.literal, from: atom.from, min: 1, max: Infinity }];
  });
  const path = schemas.at(-1)?.path ?? needs.at(-1)?.literal.path ?? '';
  for (const { schema, path: at } of schemas)
    if (schema['prefixItems'] !== undefined) readSchemas(schema['prefixItems'], `${at}.prefixItems`);
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
  const all = [...schemas.map(({ schema }) => schema), ...unevaluated.flatMap(({ evaluated }) => evaluated)];
  const heads = Math.max(0, ...all.map((schema) => itemSchemas(schema).heads.length));
  const unique = schemas.find(({ schema }) => schema['uniqueItems'] === true && max > 1);
  if (unique) {
    const place = `${unique.path}.uniqueItems`;
    if (heads + needs.length > 0) return notation.array(lists(place));
    const items = distinct.items(literalsAt(0), path);
    if (!items) throw schemaFault(place, 'expected `items` that are strings, numbers or constants');
    return notation.array({
      type: 'distinct',
      item: items.item,
      separator: comma,
      min,
      max: Math.min(max, items.count),
    });
  }
  const rest = itemOf(literalsAt(heads), path);
  const isAny = heads + needs.length + min === 0 && max === Infinity && rest === notation.ofItem().anyValue;
  return (isAny && notation.anyArray) || notation.array(lists());

  /**
   * Lists whose items count until all that come are alike: a rule for each count, and for each set of items before.
   * @param uniqueness place of the keyword by which items have to differ
   */
  function lists(uniqueness?: string): Expression {
    const lastCount = Math.max(min, heads, max === Infinity ? 0 : max, ...needs.map(({ from }) => from));
    const rules = new Map<string, Rule>();
    const waiting: (ListState & { readonly isFirst: boolean; readonly rule: Rule })[] = [];
    const stateOf = ({ count, found, used }: ListState): Expression => {
      const isDone =
        uniqueness === undefined &&
        needs.every((need, index) => need.max === Infinity && found[index]! >= need.min);
      if (isDone && count >= heads) {
        const more = { min: Math.max(0, min - count), max: max - count };
        return count === 0 ? listOf(rest, more, comma) : repeat(sequence(comma, rest), more);
      }
      const known = max === Infinity ? Math.min(count, lastCount) : count;
      const key = `${known},${found.join()},${count === 0},${used.join()}`;
      const state = getOrCreate(rules, key, () => {
        if (rules.size >= maxStates) throw schemaFault(path, 'expected fewer items to count');
        const own = rule(`items ${key}`);
        waiting.push({ isFirst: count === 0, count: known, found, used, rule: own });
        return own;
      });
      return refer(state);
    };
    const constantsOf = new Map<string, readonly unknown[]>();
    let branchCount = 0;
    const itemsOf = (literals: readonly Literal[], used: readonly string[]): [Expression, string[]][] => {
      if (uniqueness === undefined) return [[itemOf(literals, path), []]];
      const known = literals.map(({ id }) => id).join();
      const constants = getOrCreate(constantsOf, known, () => {
        const values = distinct.constants(literals, path);
        if (values) return values;
        throw schemaFault(uniqueness, 'expected constants as items beside `contains` or `prefixItems`');
      });
      const unused = new Map(constants.map((value) => [canonicalText(value), value]));
      for (const text of used) unused.delete(text);
      branchCount += unused.size;
      if (branchCount > maxStates) throw schemaFault(uniqueness, 'expected fewer constants as items');
      return [...unused].map(([text, value]) => [
        notation.ofItem().constants([value]),
        [...used, text].sort(),
      ]);
    };
    const start = stateOf({ count: 0, found: needs.map(() => 0), used: [] });
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const { isFirst, count, found, used, rule: state } = next;
      const branches: Expression[] = [];
      if (count >= min && needs.every((need, index) => found[index]! >= need.min)) branches.push(empty);
      if (count < max) {
        for (const { counts, literals } of outcomes(found, count)) {
          for (const [item, after] of itemsOf([...literalsAt(count), ...literals], used)) {
            const tail = stateOf({ count: count + 1, found: counts, used: after });
            branches.push(sequence(...(isFirst ? [] : [comma]), item, tail));
          }
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

function containedOf(schema: Schema, path: string, document: SchemaDocument): readonly Need[] {
  if (schema['contains'] === undefined) return [];
  const min = readCount(schema, 'minContains', path, 1);
  const max = readCount(schema, 'maxContains', path, Infinity);
  if (min === 0 && max === Infinity) return [];
  return [{ literal: document.literal(schema['contains'], `${path}.contains`), from: 0, min, max }];
}

function evaluatesItem(schema: Schema, index: number): boolean {
  const { items, prefixItems, additionalItems, unevaluatedItems } = schema;
  if (unevaluatedItems !== undefined) return true;
  if (Array.isArray(items)) return index < items.length || additionalItems !== undefined;
  return items !== undefined || (Array.isArray(prefixItems) && index < prefixItems.length);
}
