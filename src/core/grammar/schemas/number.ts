import { multiplesOf } from './decimal-multiple.ts';
import { decimalRange, type DecimalBound } from './decimal-range.ts';
import { choice, type Expression } from '../languages/expression.ts';
import { languageOf } from '../languages/pattern-language.ts';
import { anyInteger, anyNumber, maxSignificant, nonNegativeNumber } from '../languages/json-number.ts';
import type { Clause } from './clauses.ts';
import { numberBits, schemaFault, typeBits } from './keywords.ts';
import type { Schema } from './json-types.ts';
import type { TextLanguages } from './texts.ts';

/** Beyond, neighbouring integers are the same double. */
const largestExact = Number.MAX_SAFE_INTEGER;
/** Digits that a double always holds: one more could be rounded to an excluded value. */
const exactDigits = 15;
/** Numbers go so far where no bound says otherwise. */
const largestOf = (digits: number): number => Number('9'.repeat(digits));

/** Numbers with the bounds and the steps that the conditions ask for. */
export function numberOf(clause: Clause, texts: TextLanguages): Expression {
  const types = clause.types & numberBits;
  const isInteger = types === typeBits.integer;
  const { store } = texts;
  let low: DecimalBound | undefined;
  let high: DecimalBound | undefined;
  let path = '';
  const languages = types === typeBits.fraction ? [store.complement(multiplesOf(1, '', store))] : [];
  for (const atom of clause.atoms) {
    if (atom.kind === 'not-multiple')
      languages.push(store.complement(multiplesOf(atom.step, atom.path, store)));
    if (atom.kind !== 'schema') continue;
    path = atom.path;
    const schema = isInteger ? { ...formatRange(atom.schema), ...atom.schema } : atom.schema;
    for (const keyword of ['minimum', 'exclusiveMinimum'])
      low = tighter(low, readBound(schema, path, keyword), 1);
    for (const keyword of ['maximum', 'exclusiveMaximum'])
      high = tighter(high, readBound(schema, path, keyword), -1);
    const { multipleOf } = atom.schema;
    if (multipleOf !== undefined) languages.push(multiplesOf(multipleOf, `${path}.multipleOf`, store));
  }
  const points = clause.excluded.filter((value) => typeof value === 'number').sort((a, b) => a - b);
  if (!high && languages.length === 0 && points.length === 0) {
    if (!low) return isInteger ? anyInteger : anyNumber;
    if (!isInteger && low.value === 0 && !low.exclusive) return nonNegativeNumber;
  }
  const isExact = languages.length + points.length > 0 || low?.exclusive === true || high?.exclusive === true;
  const precision = isInteger ? undefined : isExact ? exactDigits : maxSignificant;
  const range = choice(...betweenPoints(low, high, points).map(([from, to]) => between(from, to, precision)));
  if (languages.length === 0) return range;
  const language = texts.guarded(path, () => store.intersection(languageOf(range, store), ...languages));
  return { type: 'language', language: texts.live(language, path), store, writing: 'plain' };
}

/** @param precision digits of numbers in all; integers if left out */
function between(
  low: DecimalBound | undefined,
  high: DecimalBound | undefined,
  precision: number | undefined,
): Expression {
  const magnitude = Math.max(Math.abs(low?.value ?? 0), Math.abs(high?.value ?? 0));
  const most = precision === undefined ? largestExact : largestOf(precision);
  const farthest = { value: Math.max(most, magnitude > most ? largestExact : 0), exclusive: false };
  return decimalRange(low ?? { ...farthest, value: -farthest.value }, high ?? farthest, {
    fractionDigits: precision === undefined ? 0 : precision === exactDigits ? exactDigits - 1 : precision,
    digits: precision ?? largestExact,
  });
}

function betweenPoints(
  low: DecimalBound | undefined,
  high: DecimalBound | undefined,
  points: readonly number[],
): [DecimalBound | undefined, DecimalBound | undefined][] {
  const inside = points.filter(
    (point) =>
      Math.abs(point) <= largestExact && (!low || point >= low.value) && (!high || point <= high.value),
  );
  const borders = inside.map((value) => ({ value, exclusive: true }));
  return [low, ...borders].map((from, index) => [from, borders[index] ?? high]);
}

function readBound(schema: Schema, path: string, keyword: string): DecimalBound | undefined {
  const value = schema[keyword];
  if (value === undefined || typeof value === 'boolean') return undefined;
  const isLow = keyword.endsWith('inimum');
  if (typeof value !== 'number' || (isLow ? value > largestExact : value < -largestExact))
    throw schemaFault(`${path}.${keyword}`, `expected a number between ${-largestExact} and ${largestExact}`);
  // Larger numbers are not written anyway.
  if (Math.abs(value) > largestExact)
    return { value: isLow ? -largestExact : largestExact, exclusive: false };
  const exclusive =
    keyword.startsWith('exclusive') || schema[isLow ? 'exclusiveMinimum' : 'exclusiveMaximum'] === true;
  return { value, exclusive };
}

function tighter(
  a: DecimalBound | undefined,
  b: DecimalBound | undefined,
  sign: 1 | -1,
): DecimalBound | undefined {
  if (!a || !b) return a ?? b;
  if (a.value === b.value) return a.exclusive ? a : b;
  return sign * (a.value - b.value) > 0 ? a : b;
}

/** Formats of integers that other schema dialects know. */
function formatRange({ format }: Schema): Schema {
  return format === 'int32' ? { minimum: -(2 ** 31), maximum: 2 ** 31 - 1 } : {};
}
