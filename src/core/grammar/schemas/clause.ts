import type { Literal } from './document.ts';
import type { Schema } from './json-types.ts';
import { allTypes, canonicalText, typeBits, typeBitsOf } from './keywords.ts';

export type KeySet =
  | { readonly kind: 'pattern'; readonly pattern: unknown; readonly path: string }
  /** Keys outside the schema's `properties` and `patternProperties`. */
  | { readonly kind: 'other'; readonly schema: Schema; readonly path: string }
  /** Keys that match the literal as strings. */
  | { readonly kind: 'names'; readonly literal: Literal };

/** A condition on a value, apart from its type. */
export type Atom =
  /** The keywords of a schema that apply to one type each. */
  | {
      readonly kind: 'schema';
      readonly schema: Schema;
      readonly path: string;
      /** Whether it comes from a negated schema, and so evaluates no properties or items. */
      readonly isSilent?: boolean;
    }
  /** `isWide`: the pattern matches more than the excluded values. */
  | {
      readonly kind: 'not-pattern';
      readonly pattern: unknown;
      readonly path: string;
      readonly isWide?: boolean;
    }
  | { readonly kind: 'not-multiple'; readonly step: unknown; readonly path: string }
  /** The object has the property, and its value matches. */
  | { readonly kind: 'property'; readonly name: string; readonly literal: Literal }
  | { readonly kind: 'some-property'; readonly keys: KeySet; readonly literal: Literal }
  /** The array has a matching item at index `from` or later. */
  | { readonly kind: 'some-item'; readonly from: number; readonly literal: Literal; readonly path: string }
  /** A schema for keys or items that these schemas don't evaluate. */
  | {
      readonly kind: 'unevaluated';
      readonly evaluated: readonly Schema[];
      readonly of: 'properties' | 'items';
      readonly literal: Literal;
    };

/** A conjunction of conditions. */
export interface Clause {
  readonly types: number;
  /** Allowed values, if restricted. */
  readonly values: readonly unknown[] | undefined;
  readonly excluded: readonly unknown[];
  readonly atoms: readonly Atom[];
  readonly required: readonly string[];
  readonly absent: readonly string[];
}

export const anything: Clause = {
  types: allTypes,
  values: undefined,
  excluded: [],
  atoms: [],
  required: [],
  absent: [],
};

export function without(name: string): Clause {
  return { ...anything, types: typeBits.object, absent: [name] };
}

export function merge(a: Clause, b: Clause): Clause | undefined {
  let types = a.types & b.types;
  const required = both(a.required, b.required);
  const absent = both(a.absent, b.absent);
  if (absent.length > 0 && required.some((name) => absent.includes(name))) types &= ~typeBits.object;
  let values = a.values ?? b.values;
  if (a.values && b.values) {
    const known = new Set(b.values.map(canonicalText));
    values = a.values.filter((value) => known.has(canonicalText(value)));
  }
  const excluded = both(a.excluded, b.excluded);
  if (values) {
    values = values.filter((value) => (typeBitsOf(value) & types) !== 0);
    if (excluded.length > 0) {
      const known = new Set(excluded.map(canonicalText));
      values = values.filter((value) => !known.has(canonicalText(value)));
    }
    types &= values.reduce<number>((bits, value) => bits | typeBitsOf(value), 0);
  }
  if (types === 0) return undefined;
  return { types, values, excluded, atoms: both(a.atoms, b.atoms), required, absent };
}

/** `null`, `true` and `false`, if the clause allows them. */
export function wordsOf({ types, excluded }: Clause): readonly unknown[] {
  const words = [
    ...(types & typeBits.null ? [null] : []),
    ...(types & typeBits.boolean ? [true, false] : []),
  ];
  return words.filter((word) => !excluded.includes(word));
}

export function silenced(clause: Clause): Clause {
  const atoms = clause.atoms.map((atom) => (atom.kind === 'schema' ? { ...atom, isSilent: true } : atom));
  return { ...clause, atoms };
}

/** Removes clauses that a more general clause covers. */
export function withoutSpecial(clauses: readonly Clause[]): readonly Clause[] {
  const kept: Clause[] = [];
  for (const clause of clauses.toSorted((a, b) => sizeOf(a) - sizeOf(b))) {
    if (!kept.some((general) => includes(general, clause))) kept.push(clause);
  }
  return kept.length === clauses.length ? clauses : clauses.filter((clause) => kept.includes(clause));
}

function sizeOf({ atoms, required, absent, excluded }: Clause): number {
  return atoms.length + required.length + absent.length + excluded.length;
}

function includes(general: Clause, special: Clause): boolean {
  if ((special.types & ~general.types) !== 0 || (general.values && general.values !== special.values))
    return false;
  const within = (a: readonly unknown[], b: readonly unknown[]): boolean =>
    a.every((item) => b.includes(item));
  return (
    within(general.required, special.required) &&
    within(general.absent, special.absent) &&
    within(general.atoms, special.atoms) &&
    within(general.excluded, special.excluded)
  );
}

function both<Item>(a: readonly Item[], b: readonly Item[]): readonly Item[] {
  if (a.length === 0) return b;
  if (b.length === 0) return a;
  return [...new Set([...a, ...b])];
}
