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

/** Python's operators of two sides, but for `and` and `or`, which may leave their right side alone. */
export const binaryOperators: ReadonlyMap<string, Operator> = new Map<string, Operator>([
  ['==', isEqual],
  ['!=', (left, right) => !isEqual(left, right)],
  ['<', (left, right) => compare(left, right) < 0],
  ['<=', (left, right) => compare(left, right) <= 0],
  ['>', (left, right) => compare(left, right) > 0],
  ['>=', (left, right) => compare(left, right) >= 0],
  ['in', (left, right) => contains(right, left)],
  ['not in', (left, right) => !contains(right, left)],
  ['~', (left, right) => toText(left) + toText(right)],
  ['+', add],
  ['-', (left, right) => calculate('-', left, right, (a, b) => a - b)],
  ['*', multiply],
  ['/', (left, right) => new Float(calculateNumber('/', left, right, divide))],
  ['//', (left, right) => calculate('//', left, right, (a, b) => Math.floor(divide(a, b)))],
  ['%', (left, right) => calculate('%', left, right, (a, b) => a - b * Math.floor(divide(a, b)))],
  ['**', (left, right) => calculate('**', left, right, (a, b) => a ** b)],
]);

/** @throws TypeError for operators that the value has not */
export function applyUnary(operator: string, value: Value): Value {
  if (operator === 'not') return !isTruthy(value);
  return calculate(operator, 0, value, (zero, number) => (operator === '-' ? zero - number : number));
}

function add(left: Value, right: Value): Value {
  if (typeof left === 'string' && typeof right === 'string') return left + right;
  if (isArray(left) && isArray(right) && left instanceof Tuple === right instanceof Tuple) {
    return left.concat(right);
  }
  return calculate('+', left, right, (a, b) => a + b);
}

function multiply(left: Value, right: Value): Value {
  if (typeof left === 'string' && isInteger(right)) return left.repeat(Math.max(Number(right), 0));
  if (typeof right === 'string' && isInteger(left)) return multiply(right, left);
  return calculate('*', left, right, (a, b) => a * b);
}

function calculate(
  operator: string,
  left: Value,
  right: Value,
  operation: (a: number, b: number) => number,
): Value {
  const result = calculateNumber(operator, left, right, operation);
  const isFloat = left instanceof Float || right instanceof Float || !Number.isInteger(result);
  return isFloat ? new Float(result) : result;
}

function calculateNumber(
  operator: string,
  left: Value,
  right: Value,
  operation: (a: number, b: number) => number,
): number {
  if (!isNumber(left) || !isNumber(right)) {
    throw new TypeError(
      `unsupported operand types for ${operator}: ${typeName(left)} and ${typeName(right)}`,
    );
  }
  return operation(numberOf(left), numberOf(right));
}

function divide(dividend: number, divisor: number): number {
  if (divisor === 0) throw new RangeError('division by zero');
  return dividend / divisor;
}
