import { decimalRange, digitsOf, inclusive, type DecimalBound } from './decimal-range.ts';
import { choice, type Expression } from '../languages/expression.ts';
import { languageOf } from '../languages/pattern-language.ts';
import {
  anyInteger,
  anyNumber,
  maxSignificant,
  maxWholeDigits,
  nonNegativeNumber,
} from '../languages/json-number.ts';
import type { Clause } from './clause.ts';
import { numberBits, schemaFault, typeBits, quoted } from './keywords.ts';
import { isNumeric, type Numeric, type Schema } from './json-types.ts';
import type { TextLanguages } from './texts.ts';
import type { Language, LanguageStore } from '../languages/language.ts';

/** Digits that a double always preserves: one more could round to an excluded value. */
const exactDigits = 15;
/** Larger bounds have no effect: no number of the grammar is that large. */
const maxBound = 10n ** 40n;

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
  const points = clause.excluded.filter(isNumeric).sort((a, b) => (a < b ? -1 : 1));
  if (!high && languages.length === 0 && points.length === 0) {
    if (!low) return isInteger ? anyInteger : anyNumber;
    if (!isInteger && Number(low.value) === 0 && !low.exclusive) return nonNegativeNumber;
  }
  const isExact = languages.length + points.length > 0 || low?.exclusive === true || high?.exclusive === true;
  // For numbers beyond double precision, a client that parses doubles would see a wrong multiple.
  const wholeDigits = languages.length > 0 ? exactDigits : maxWholeDigits;
  const precision = isInteger ? undefined : isExact ? exactDigits : maxSignificant;
  const range = choice(
    ...betweenPoints(low, high, points).map(([from, to]) => between(from, to, { precision, wholeDigits })),
  );
  if (languages.length === 0) return range;
  const language = texts.guarded(path, () => store.intersection(languageOf(range, store), ...languages));
  return { type: 'language', language: texts.live(language, path), store, writing: 'plain' };
}

/** @param precision total digits of numbers; `undefined` for integers */
function between(
  low: DecimalBound | undefined,
  high: DecimalBound | undefined,
  { precision, wholeDigits }: { readonly precision: number | undefined; readonly wholeDigits: number },
): Expression {
  const length = (bound: DecimalBound | undefined): number =>
    bound ? digitsOf(magnitude(bound.value)).whole.length : 0;
  // Without an upper bound, numbers may have one digit more than the lower bound.
  const value = 10n ** BigInt(Math.max(wholeDigits, length(low) + 1, length(high) + 1)) - 1n;
  return decimalRange(low ?? inclusive(-value), high ?? inclusive(value), {
    fractionDigits: precision === undefined ? 0 : precision === exactDigits ? exactDigits - 1 : precision,
    digits: precision,
  });
}

function magnitude(value: Numeric): Numeric {
  return value < 0 ? -value : value;
}

function betweenPoints(
  low: DecimalBound | undefined,
  high: DecimalBound | undefined,
  points: readonly Numeric[],
): [DecimalBound | undefined, DecimalBound | undefined][] {
  const inside = points.filter(
    (point) => magnitude(point) <= maxBound && (!low || point >= low.value) && (!high || point <= high.value),
  );
  const borders = inside.map((value) => ({ value, exclusive: true }));
  return [low, ...borders].map((from, index) => [from, borders[index] ?? high]);
}

function readBound(schema: Schema, path: string, keyword: string): DecimalBound | undefined {
  const value = schema[keyword];
  if (value === undefined || typeof value === 'boolean') return undefined;
  const isLow = keyword.endsWith('inimum');
  if (!isNumeric(value) || (isLow ? value > maxBound : value < -maxBound))
    throw schemaFault(`${path}.${keyword}`, `expected a number between -10^40 and 10^40`);
  if (magnitude(value) > maxBound) return undefined;
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
  if (a.value > b.value) return sign > 0 ? a : b;
  if (a.value < b.value) return sign > 0 ? b : a;
  return a.exclusive ? a : b;
}

/** The range of integer formats from different schema dialects. */
function formatRange({ format }: Schema): Schema {
  return format === 'int32' ? { minimum: -(2 ** 31), maximum: 2 ** 31 - 1 } : {};
}

const stepOnLargest = 10_000_000;
const maxDecimals = 12;

/** The decimal numbers, without exponent, that are multiples of a step; texts that aren't numbers don't matter. */
function multiplesOf(step: unknown, path: string, store: LanguageStore): Language {
  return store.multiple({ ...decimalOf(step, path), fraction: -1, remainder: 0 });
}

/** Whether a number is a multiple of a step, by their decimal notations. */
export function isDecimalMultiple(value: Numeric, step: unknown, path: string): boolean {
  const { step: whole, decimals } = decimalOf(step, path);
  if (Math.abs(Number(value)) === Infinity) return false;
  const { whole: integer, fraction } = digitsOf(value < 0 ? -value : value);
  const scaled = BigInt(integer + fraction) * 10n ** BigInt(decimals);
  return scaled % (BigInt(whole) * 10n ** BigInt(fraction.length)) === 0n;
}

/** A step as integer / 10^decimals. */
function decimalOf(step: unknown, path: string): { readonly step: number; readonly decimals: number } {
  if (!isNumeric(step) || !(step > 0)) throw schemaFault(path, 'expected a positive number');
  const { whole, fraction } = digitsOf(step);
  const [scaled, decimals] = [Number(whole + fraction), fraction.length];
  if (decimals > maxDecimals || scaled > stepOnLargest) {
    throw schemaFault(
      path,
      `expected a step of at most ${stepOnLargest} and ${maxDecimals} decimals, got ${quoted(step)}`,
    );
  }
  return { step: scaled, decimals };
}
