import { decimalRange, type DecimalBound } from './decimal-range.ts';
import { choice, optional, repeat, sequence, text, type Expression } from './expression.ts';
import { anyInteger, anyNumber, digit, maxDigits } from './json-text.ts';
import { schemaFault, type Schema } from './schema-keywords.ts';

const maxMultiples = 1000;
/** Beyond, neighbouring integers are the same double, and an exclusive bound would round to itself. */
const largestExact = 10 ** maxDigits;

/** Numbers with the bounds and the step that a schema asks for. */
export function numberOf(
  schema: Schema,
  path: string,
  { isInteger }: { readonly isInteger: boolean },
): Expression {
  const low = tighter(readBound(schema, path, 'minimum'), readBound(schema, path, 'exclusiveMinimum'), 1);
  const high = tighter(readBound(schema, path, 'maximum'), readBound(schema, path, 'exclusiveMaximum'), -1);
  const { multipleOf } = schema;
  if (multipleOf !== undefined) return multiplesOf(multipleOf, low, high, `${path}.multipleOf`, isInteger);
  if (!low && !high) return isInteger ? anyInteger : anyNumber;
  const magnitude = Math.max(Math.abs(low?.value ?? 0), Math.abs(high?.value ?? 0));
  const wholeDigits = magnitude < 1 ? 1 : Math.floor(Math.log10(magnitude)) + 1;
  const fractionDigits = isInteger ? 0 : Math.max(0, maxDigits - Math.max(wholeDigits, low && high ? 1 : 6));
  const open = isInteger ? largestExact - 1 : 999_999;
  const farthest = { value: Math.max(open, magnitude * 10), exclusive: false };
  return decimalRange(low ?? { ...farthest, value: -farthest.value }, high ?? farthest, { fractionDigits });
}

/** The numbers that a schema for multiples allows: all listed where there are few, or those with few decimals. */
function multiplesOf(
  step: unknown,
  low: DecimalBound | undefined,
  high: DecimalBound | undefined,
  path: string,
  isInteger: boolean,
): Expression {
  if (typeof step !== 'number' || !(step > 0)) throw schemaFault(path, 'expected a positive number');
  if (low && high && Number.isInteger(step) && (high.value - low.value) / step <= maxMultiples) {
    const multiples: string[] = [];
    for (let factor = Math.ceil(low.value / step); factor * step <= high.value; factor++) {
      const value = factor * step;
      if ((low.exclusive && value === low.value) || (high.exclusive && value === high.value)) continue;
      multiples.push(String(value + 0));
    }
    return text(...multiples);
  }
  if (low || high)
    throw schemaFault(path, `expected both bounds at most ${maxMultiples} multiples apart, or none`);
  if (step === 1) return anyInteger;
  const decimals = -Math.log10(step);
  if (!isInteger && Number.isInteger(decimals) && decimals > 0 && decimals <= 6) {
    const whole = choice(text('0'), sequence(text(...'123456789'), repeat(digit, { min: 0, max: 7 })));
    const fraction = sequence(text('.'), repeat(digit, { min: 1, max: decimals }));
    return sequence(optional(text('-')), whole, optional(fraction));
  }
  if (Number.isInteger(step) && /^10+$/.test(String(step))) {
    const zeros = String(step).slice(1);
    const multiple = sequence(
      text(...'123456789'),
      repeat(digit, { min: 0, max: maxDigits - 1 - zeros.length }),
      text(zeros),
    );
    return choice(text('0'), sequence(optional(text('-')), multiple));
  }
  throw schemaFault(path, 'expected bounds beside it, 1, or a power of ten');
}

function readBound(schema: Schema, path: string, keyword: string): DecimalBound | undefined {
  const value = schema[keyword];
  if (value === undefined) return undefined;
  if (typeof value !== 'number' || !(Math.abs(value) < largestExact)) {
    throw schemaFault(`${path}.${keyword}`, `expected a number between −10^${maxDigits} and 10^${maxDigits}`);
  }
  return { value, exclusive: keyword.startsWith('exclusive') };
}

function tighter(
  a: DecimalBound | undefined,
  b: DecimalBound | undefined,
  sign: 1 | -1,
): DecimalBound | undefined {
  if (!a || !b) return a ?? b;
  return sign * (a.value - b.value) > 0 ? a : b;
}

/** Formats of numbers that other schema dialects know. */
export function numberFormatRange(format: unknown): Schema | undefined {
  if (format === 'int32') return { minimum: -(2 ** 31), maximum: 2 ** 31 - 1 };
  return format === 'int64' || format === 'float' || format === 'double' ? {} : undefined;
}
