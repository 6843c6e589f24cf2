import {
  choice,
  empty,
  never,
  refer,
  repeat,
  rule,
  sequence,
  type Bounds,
  type Expression,
  type LanguageText,
} from '../languages/expression.ts';
import { stringCharacter } from '../languages/json-text.ts';
import type { Language } from '../languages/language.ts';
import { countTexts } from '../languages/live.ts';
import type { ArraySetting } from './counted-list.ts';
import type { Literal } from './document.ts';
import { schemaFault } from './keywords.ts';

const maxCounted = 5000;
/** Maximum number of distinct unnamed keys. */
const maxDistinct = 1000;

export interface Property {
  readonly name: string;
  readonly literals: readonly Literal[];
  readonly isRequired: boolean;
}

/** Properties that the schema doesn't name, grouped by their keys; the groups are disjoint. */
export interface KeyKind {
  readonly keys: Language;
  readonly literals: readonly Literal[];
}

/** A required property with any key of this set. */
export type Need = KeyKind;

/** Context for writing members; `texts` creates the languages of keys. */
export interface MemberSetting extends Pick<ArraySetting, 'texts' | 'notation' | 'valueOf'> {
  readonly path: string;
}

interface ObjectParts extends Bounds {
  readonly properties: readonly Property[];
  readonly kinds: readonly KeyKind[];
  readonly needs: readonly Need[];
}

/** Objects of `min` to `max` members: the properties in order, then unnamed ones, some of which meet the needs. */
export function objectWith(parts: ObjectParts, setting: MemberSetting): Expression {
  const { properties, kinds, needs, min, max } = parts;
  const { texts, notation, valueOf, path } = setting;
  const { comma } = notation;
  const named = properties.flatMap(({ name, literals, isRequired }) => {
    const pair = isNever(literals)
      ? undefined
      : notation.member(name, valueOf(literals, `${path}.properties.${name}`, notation.ofMember(name)));
    return pair || isRequired ? [{ pair: pair ?? never, isRequired }] : [];
  });
  if (named.some(({ pair, isRequired }) => isRequired && pair === never)) return never;
  const pairs = max === 0 ? [] : rest(parts, setting).map(({ pair }) => pair);
  const others = pairs.length > 1 ? refer(rule('other', choice(...pairs))) : pairs[0];
  const isAny = properties.length === 0 && needs.length === 0 && min === 0 && max === Infinity;
  if (isAny && others && others === notation.anyMember && notation.anyObject) return notation.anyObject;
  const required = named.filter(({ isRequired }) => isRequired).length + needs.length;
  if (min > (others ? max : Math.min(max, named.length)) || required > max) return never;

  const counts = min > required || (max < Infinity && (others !== undefined || max < named.length));
  const [least, most] = counts ? [min, max] : [0, Infinity];
  const place = `${path}.${least > 0 ? 'minProperties' : 'maxProperties'}`;
  const last = Math.min(most === Infinity ? Math.max(least, 1) : most, named.length);
  if (named.length * last > maxCounted && counts)
    throw schemaFault(place, 'expected fewer properties to count');
  const needed = needs.map((need) =>
    choice(
      ...kinds.flatMap(({ keys, literals }) => {
        const both = texts.shared(path, keys, need.keys);
        return (both !== texts.store.never && unnamed(both, [...literals, ...need.literals], setting)) || [];
      }),
    ),
  );

  /** The members after `count` named properties: first properties for the needs, then optional ones. */
  function tail(count: number): Expression {
    const missing = Math.max(0, least - count - needed.length);
    const room = most - count - needed.length;
    if (room < missing) return never;
    const fixed = needed.flatMap((pair, index) => (count + index === 0 ? [pair] : [comma, pair]));
    const lead = count + needed.length === 0 ? empty : comma;
    const list =
      missing > 1
        ? distinct(parts, setting, place, { missing, room })
        : others && room > 0
          ? sequence(others, repeat(sequence(comma, others), { min: 0, max: room - 1 }))
          : never;
    return sequence(...fixed, choice(sequence(lead, list), missing === 0 ? empty : never));
  }

  /** The members from a property on, by the relevant number of members before it. */
  let members = Array.from({ length: last + 1 }, (_, count) => tail(count));
  for (const { pair, isRequired } of named.toReversed()) {
    members = members.map((without, count) => {
      const own = count === 0 ? pair : sequence(comma, pair);
      const taken = count < most ? sequence(own, members[Math.min(count + 1, last)]!) : never;
      return refer(rule(`member ${count}`, choice(taken, isRequired ? never : without)));
    });
  }
  return notation.object(members[0]!);
}

/** Unnamed members; with `mayBeAny`, by the notation's rule for arbitrary members if possible. */
function unnamed(
  keys: Language,
  literals: readonly Literal[],
  { texts, notation, valueOf, path }: MemberSetting,
  mayBeAny = true,
): Expression | undefined {
  const value = valueOf(literals, `${path}.additionalProperties`, notation.ofMember());
  const isAll = keys === texts.store.all;
  if (mayBeAny && isAll && notation.anyMember && value === notation.ofMember().anyValue)
    return notation.anyMember;
  return notation.members(isAll ? keys : texts.live(keys, path), value, texts, path);
}

/** Properties that the schema doesn't name and that meet no need: of duplicate keys only the last would count. */
function rest({ kinds, needs }: ObjectParts, setting: MemberSetting, mayBeAny = true) {
  const { texts, path } = setting;
  const { store } = texts;
  return kinds.flatMap((kind) => {
    if (isNever(kind.literals)) return [];
    const others = needs.map((need) => store.complement(need.keys));
    const keys = needs.length === 0 ? kind.keys : texts.shared(path, kind.keys, ...others);
    const pair = keys === store.never ? undefined : unnamed(keys, kind.literals, setting, mayBeAny);
    return pair ? [{ keys, pair }] : [];
  });
}

/** Unnamed properties with distinct keys: a duplicate key would count only once. */
function distinct(
  parts: ObjectParts,
  setting: MemberSetting,
  place: string,
  { missing, room }: { readonly missing: number; readonly room: number },
): Expression {
  const { texts, notation } = setting;
  const { store } = texts;
  const pairsByKeys = rest(parts, setting, false);
  const count = pairsByKeys.reduce(
    (sum, { keys }) => sum + texts.guarded(place, () => countTexts(keys, store, maxDistinct + 1)),
    0,
  );
  if (count < missing) return never;
  if (missing > maxDistinct)
    throw schemaFault(place, `expected at most ${maxDistinct} properties without a name`);
  const anyText = { type: 'language', language: store.all, store, writing: 'escaped-json-string' } as const;
  const items = pairsByKeys.map(({ pair }) => marked(pair, anyText));
  if (items.includes(undefined))
    throw schemaFault(place, 'expected properties whose names can be told apart');
  const item = choice(...items.filter((one) => one !== undefined));
  return {
    type: 'distinct',
    item,
    separator: notation.comma,
    min: missing,
    max: Math.min(room, maxDistinct),
  };
}

function isNever(literals: readonly Literal[]): boolean {
  return literals.some(({ schema }) => schema === false);
}

/** An item of a `distinct` list, marked by its first text of a language or free string. */
function marked(expression: Expression, anyText: LanguageText): Expression | undefined {
  switch (expression.type) {
    case 'language':
      return { type: 'mark', of: expression };
    case 'repeat':
      return expression.item === stringCharacter ? { type: 'mark', of: anyText } : undefined;
    case 'rule':
      return marked(expression.rule.body, anyText);
    case 'sequence': {
      const { items } = expression;
      for (const [index, item] of items.entries()) {
        const found = marked(item, anyText);
        if (!found) continue;
        // A mark includes the quotes.
        const isText = item.type === 'language' || item.type === 'repeat';
        const quotes = isText && found.type === 'mark' && found.of.writing !== 'plain' ? 1 : 0;
        return sequence(...items.slice(0, index - quotes), found, ...items.slice(index + quotes + 1));
      }
      return undefined;
    }
    default:
      return undefined;
  }
}
