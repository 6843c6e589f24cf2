import { choice, empty, never, refer, repeat, rule, sequence, text, type Expression } from './expression.ts';
import { anyString, bracketed, colon, comma, listOf, plainCharacters } from './json-text.ts';
import { complement, codePointsOf, intersection } from './code-points.ts';

export interface Property {
  readonly name: string;
  readonly value: Expression;
  readonly isRequired: boolean;
}

/** Characters of a key that the schema doesn't name. */
const maxKeyLength = 64;

/**
 * Objects with these properties in this order, then others.
 *
 * @param additional the value of others, whose keys differ from the named ones; `undefined` if there are none
 * @param maxAdditional how many others at most
 */
export function objectOf(
  properties: readonly Property[],
  additional: Expression | undefined,
  maxAdditional: number,
): Expression {
  const others =
    additional && maxAdditional > 0
      ? refer(rule('other', sequence(otherKey(properties.map(({ name }) => name)), colon, additional)))
      : never;
  let first: Expression = listOf(others, { min: 0, max: maxAdditional });
  let next = repeat(sequence(comma, others), { min: 0, max: maxAdditional });
  for (const { name, value, isRequired } of properties.toReversed()) {
    const pair = refer(rule(name, sequence(text(JSON.stringify(name)), colon, value)));
    const follow = next;
    first = refer(rule(`first ${name}`, choice(sequence(pair, follow), isRequired ? never : first)));
    next = refer(rule(`next ${name}`, choice(sequence(comma, pair, follow), isRequired ? never : follow)));
  }
  return bracketed('{', first, '}');
}

const anyRest = refer(
  rule('rest', repeat({ type: 'character', ranges: plainCharacters }, { min: 0, max: maxKeyLength })),
);

/** A key that is none of these: written without escapes, so that no other spelling gets round. */
function otherKey(names: readonly string[]): Expression {
  if (names.length === 0) return anyString;
  return sequence(text('"'), notOneOf(names.map((name) => Array.from(name))), text('"'));
}

function notOneOf(names: readonly (readonly string[])[]): Expression {
  const byFirst = new Map<string, (readonly string[])[]>();
  for (const [first, ...rest] of names) {
    if (first === undefined) continue;
    const longer = byFirst.get(first);
    if (longer) longer.push(rest);
    else byFirst.set(first, [rest]);
  }
  const others = intersection(plainCharacters, complement(codePointsOf([...byFirst.keys()].join(''))));
  const branches = [...byFirst].map(([first, rests]) => sequence(text(first), notOneOf(rests)));
  branches.push(sequence({ type: 'character', ranges: others }, anyRest));
  if (!names.some((name) => name.length === 0)) branches.push(empty);
  return choice(...branches);
}
