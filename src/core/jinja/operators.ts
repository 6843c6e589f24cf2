import { assertListLength, assertTextLength } from './budget.ts';
import { toText } from './printing.ts';
import {
  compare,
  contains,
  Float,
  isArray,
  isEqual,
  isInteger,
  isNumber,
  isTruthy,
  numberOf,
  Tuple,
  typeName,
  type Value,
} from './values.ts';

type Operator = (left: Value, right: Value) => Value;

/** Python's binary operators, except `and` and `or`, which evaluate their right side lazily. */
export const binaryOperators: ReadonlyMap<string, Operator> = new Map<string, Operator>([
  ['==', isEqual],
  ['!=', (left, right) => !isEqual(left, right)],
  ['<', (left, right) => compare(left, right) < 0],
  ['<=', (left, right) => compare(left, right) <= 0],
  ['>', (left, right) => compare(left, right) > 0],
  ['>=', (left, right) => compare(left, right) >= 0],
  ['in', (left, right) => contains(right, left)],
  ['not in', (left, right) => !contains(right, left)],
  ['~', (left, right) => joined(toText(left), toText(right))],
  ['+', add],
  ['-', (left, right) => calculate('-', left, right)],
  ['*', multiply],
  ['/', divide],
  ['//', (left, right) => calculate('//', left, right)],
  ['%', (left, right) => calculate('%', left, right)],
  ['**', (left, right) => calculate('**', left, right)],
]);

/** @throws TypeError for operators that the value doesn't support */
export function applyUnary(operator: string, value: Value): Value {
  if (operator === 'not') return !isTruthy(value);
  if (operator === '-' && value instanceof Float) return new Float(-value.value);
  return calculate(operator, 0, value);
}

function joined(left: string, right: string): string {
  assertTextLength(left.length + right.length);
  return left + right;
}

function add(left: Value, right: Value): Value {
  if (typeof left === 'string' && typeof right === 'string') return joined(left, right);
  if (isArray(left) && isArray(right) && left instanceof Tuple === right instanceof Tuple) {
    assertListLength(left.length + right.length);
    return left.concat(right);
  }
  return calculate('+', left, right);
}

function multiply(left: Value, right: Value): Value {
  if (isNumber(left) && !isNumber(right)) return multiply(right, left);
  if ((typeof left === 'string' || isArray(left)) && (isInteger(right) || typeof right === 'boolean')) {
    if (typeof right === 'bigint') throw new RangeError('a repetition is too long');
    const times = Math.max(Number(right), 0);
    if (typeof left === 'string') {
      assertTextLength(left.length * times);
      return left.repeat(times);
    }
    assertListLength(left.length * times);
    const items = Array.from({ length: left.length * times }, (_item, index) => left[index % left.length]);
    return left instanceof Tuple ? Tuple.from(items) : items;
  }
  return calculate('*', left, right);
}

function divide(left: Value, right: Value): Value {
  const [dividend, divisor] = numbersOf('/', left, right);
  if (Number(divisor) === 0) throw new RangeError('division by zero');
  return new Float(Number(dividend) / Number(divisor));
}

/** Integers stay exact at any size, as in Python. */
function calculate(operator: string, left: Value, right: Value): Value {
  const [a, b] = numbersOf(operator, left, right);
  const { integers, floats } = arithmetic[operator]!;
  if (left instanceof Float || right instanceof Float || (operator === '**' && Number(b) < 0))
    return new Float(floats(Number(a), Number(b)));
  const result = integers(BigInt(a), BigInt(b));
  return Number.isSafeInteger(Number(result)) ? Number(result) : result;
}

function numbersOf(operator: string, left: Value, right: Value): [number | bigint, number | bigint] {
  if (!isNumber(left) || !isNumber(right)) {
    throw new TypeError(
      `unsupported operand types for ${operator}: ${typeName(left)} and ${typeName(right)}`,
    );
  }
  return [
    typeof left === 'bigint' ? left : numberOf(left),
    typeof right === 'bigint' ? right : numberOf(right),
  ];
}

interface Arithmetic {
  integers(left: bigint, right: bigint): bigint;
  floats(left: number, right: number): number;
}

const arithmetic: Readonly<Record<string, Arithmetic>> = {
  '+': { integers: (a, b) => a + b, floats: (a, b) => a + b },
  '-': { integers: (a, b) => a - b, floats: (a, b) => a - b },
  '*': {
    integers(a, b) {
      assertBits(bitsOf(a) + bitsOf(b));
      return a * b;
    },
    floats: (a, b) => a * b,
  },
  '**': {
    integers(a, b) {
      assertBits(bitsOf(a) * Number(b));
      return a ** b;
    },
    floats(a, b) {
      if (a === 0 && b < 0) throw new RangeError('0.0 cannot be raised to a negative power');
      if (Number.isFinite(a ** b)) return a ** b;
      throw new RangeError('the power is no float');
    },
  },
  '%': {
    integers: modulo,
    floats(a, b) {
      const rest = floatModulo(a, b);
      return rest === 0 ? (b < 0 ? -0 : 0) : rest;
    },
  },
  '//': {
    integers: (a, b) => (a - modulo(a, b)) / b,
    floats: (a, b) => Math.round((a - (a % b)) / b) - (floatModulo(a, b) === a % b ? 0 : 1),
  },
};

/** The result has the sign of the divisor. */
function modulo(a: bigint, b: bigint): bigint {
  const rest = a % b;
  return rest !== 0n && rest < 0n !== b < 0n ? rest + b : rest;
}

function floatModulo(a: number, b: number): number {
  if (b === 0) throw new RangeError('division by zero');
  const rest = a % b;
  return rest !== 0 && rest < 0 !== b < 0 ? rest + b : rest;
}

const maxBits = 100_000;

function assertBits(bits: number): void {
  if (bits > maxBits) throw new RangeError('an integer is too large');
}

function bitsOf(value: bigint): number {
  return value.toString(16).length * 4;
}
