import {
  choice,
  empty,
  marked,
  never,
  refer,
  repeat,
  rule,
  sequence,
  type Expression,
} from '../languages/expression.ts';
import { unlimited } from '../languages/json-text.ts';
import type { Language } from '../languages/language.ts';
import { countTexts } from '../languages/live.ts';
import type { Notation } from './notation.ts';
import type { ValueOf } from './array.ts';
import type { Literal } from './document.ts';
import { schemaFault } from './keywords.ts';
import type { TextLanguages } from './texts.ts';

const maxCounted = 5000;
/** Keys without a name that are told apart. */
const maxDistinct = 1000;

export interface Property {
  readonly name: string;
  readonly literals: readonly Literal[];
  readonly isRequired: boolean;
}

/** Properties that the schema doesn't name, by what their keys have in common; no key is of two kinds. */
export interface KeyKind {
  readonly keys: Language;
  readonly literals: readonly Literal[];
}

/** A property has to be there whose key is among these. */
export interface Need {
  readonly keys: Language;
  readonly literals: readonly Literal[];
}

/** Notation of the members of objects; `texts` gives the languages of keys. */
export interface MemberSetting {
  readonly texts: TextLanguages;
  readonly notation: Notation;
  readonly valueOf: ValueOf;
}

interface ObjectParts extends Bounds {
  readonly properties: readonly Property[];
  readonly kinds: readonly KeyKind[];
  readonly needs: readonly Need[];
}

/** Objects of `min` to `max` members: the properties in order, then others, of which some meet the needs. */
export function objectWith(
  parts: ObjectParts,
  setting: MemberSetting & { readonly path: string },
): Expression {
  return new MemberWriter(parts, setting).write();
}

/** Least and greatest number of members. */
interface Bounds {
  readonly min: number;
  readonly max: number;
}

interface Pair {
  readonly pair: Expression;
  readonly isRequired: boolean;
}

class MemberWriter {
  readonly #parts: ObjectParts;
  readonly #setting: MemberSetting & { readonly path: string };
  readonly #comma: Expression;

  constructor(parts: ObjectParts, setting: MemberSetting & { readonly path: string }) {
    this.#parts = parts;
    this.#setting = setting;
    this.#comma = setting.notation.comma;
  }

  write(): Expression {
    const { properties, needs, min, max } = this.#parts;
    const { valueOf, notation, path } = this.#setting;
    const isAny = properties.length === 0 && needs.length === 0 && min === 0 && max === Infinity;
    const written = properties.flatMap(({ name, literals, isRequired }) => {
      if (literals.some(({ schema }) => schema === false)) return isRequired ? [undefined] : [];
      const value = valueOf(literals, `${path}.properties.${name}`, notation.ofMember(name));
      const pair = notation.member(name, value);
      if (!pair) return isRequired ? [undefined] : [];
      return [{ pair, isRequired }];
    });
    if (written.includes(undefined)) return never;
    const pairs = written.filter((pair) => pair !== undefined);
    const others = this.#others();
    if (isAny && others && others === notation.anyMember && notation.anyObject) return notation.anyObject;
    const required = pairs.filter(({ isRequired }) => isRequired).length + needs.length;
    const most = max === Infinity && others ? Infinity : Math.min(max, others ? Infinity : pairs.length);
    if (min > most || required > max) return never;
    const counts = min > required || (max < Infinity && (others !== undefined || max < pairs.length));
    const bounds = counts ? { min, max } : unlimited;
    return notation.object(this.#content(pairs, others, bounds));
  }

  /** Any of the properties that the schema doesn't name; `undefined` if there are none. */
  #others(): Expression | undefined {
    const pairs = this.#parts.max === 0 ? [] : this.#otherPairs().map(({ pair }) => pair);
    if (pairs.length === 0) return undefined;
    return pairs.length === 1 ? pairs[0]! : refer(rule('other', choice(...pairs)));
  }

  #otherPairs(mayBeAny = true): readonly { readonly keys: Language; readonly pair: Expression }[] {
    const { texts, path } = this.#setting;
    const { store } = texts;
    const { kinds, needs } = this.#parts;
    return kinds.flatMap(({ keys, literals }) => {
      if (literals.some(({ schema }) => schema === false)) return [];
      // A key that meets a need comes once, since the last of several would count.
      const others = needs.map((need) => store.complement(need.keys));
      const rest = needs.length === 0 ? keys : texts.shared(path, keys, ...others);
      const pair = rest === store.never ? undefined : this.#pair(rest, literals, mayBeAny);
      return pair ? [{ keys: rest, pair }] : [];
    });
  }

  #pair(keys: Language, literals: readonly Literal[], mayBeAny = true): Expression | undefined {
    const { texts, valueOf, notation, path } = this.#setting;
    const value = valueOf(literals, `${path}.additionalProperties`, notation.ofMember());
    const isAll = keys === texts.store.all;
    if (mayBeAny && isAll && notation.anyMember && value === notation.ofMember().anyValue)
      return notation.anyMember;
    return notation.members(isAll ? keys : texts.live(keys, path), value, texts, path);
  }

  /** Properties that meet a need, one after the other. */
  #needed(need: Need): Expression {
    const { texts, path } = this.#setting;
    return choice(
      ...this.#parts.kinds.flatMap(({ keys, literals }) => {
        const both = texts.shared(path, keys, need.keys);
        return both === texts.store.never
          ? []
          : [this.#pair(both, [...literals, ...need.literals]) ?? []].flat();
      }),
    );
  }

  /** The members from each property on, by the number of those before it: no more numbers than matter. */
  #content(pairs: readonly Pair[], others: Expression | undefined, { min, max }: Bounds): Expression {
    const place = `${this.#setting.path}.${min > 0 ? 'minProperties' : 'maxProperties'}`;
    const most = max === Infinity ? Math.max(min, 1) : max;
    const last = Math.min(most, pairs.length);
    if (pairs.length * last > maxCounted && (min > 0 || max < Infinity))
      throw schemaFault(place, 'expected fewer properties to count');
    const needed = this.#parts.needs.map((need) => this.#needed(need));
    let rest = Array.from({ length: last + 1 }, (_, count) =>
      this.#tail(needed, others, { min: min - count, max: max - count, isFirst: count === 0 }, place),
    );
    for (const { pair, isRequired } of pairs.toReversed()) {
      rest = rest.map((without, count) => {
        const own = count === 0 ? pair : sequence(this.#comma, pair);
        const taken = count < max ? sequence(own, rest[Math.min(count + 1, last)]!) : never;
        return refer(rule(`member ${count}`, choice(taken, isRequired ? never : without)));
      });
    }
    return rest[0]!;
  }

  /** Properties that meet the needs, then others; those before them are off the bounds. */
  #tail(
    needed: readonly Expression[],
    others: Expression | undefined,
    { min, max, isFirst }: Bounds & { readonly isFirst: boolean },
    place: string,
  ): Expression {
    const missing = Math.max(0, min - needed.length);
    const room = max - needed.length;
    if (room < missing) return never;
    const fixed = needed.flatMap((pair, index) => (isFirst && index === 0 ? [pair] : [this.#comma, pair]));
    const lead = isFirst && needed.length === 0 ? empty : this.#comma;
    const list =
      missing > 1
        ? this.#distinct(missing, room, place)
        : others && room > 0
          ? sequence(others, repeat(sequence(this.#comma, others), { min: 0, max: room - 1 }))
          : never;
    return sequence(...fixed, choice(sequence(lead, list), missing === 0 ? empty : never));
  }

  /** Properties without a name, each with another key: a key that comes twice would count once. */
  #distinct(min: number, max: number, place: string): Expression {
    const { texts } = this.#setting;
    const pairs = this.#otherPairs(false);
    const count = pairs.reduce(
      (sum, { keys }) => sum + texts.guarded(place, () => countTexts(keys, texts.store, maxDistinct + 1)),
      0,
    );
    if (count < min) return never;
    if (min > maxDistinct)
      throw schemaFault(place, `expected at most ${maxDistinct} properties without a name`);
    const { store } = texts;
    const anyText = { type: 'language', language: store.all, store, writing: 'escaped-json-string' } as const;
    const items = pairs.map(({ pair }) => marked(pair, anyText));
    if (items.includes(undefined))
      throw schemaFault(place, 'expected properties whose names can be told apart');
    const item = choice(...items.filter((one) => one !== undefined));
    return { type: 'distinct', item, separator: this.#comma, min, max: Math.min(max, maxDistinct) };
  }
}
