import { findMethod } from './methods.ts';
import { binaryOperators } from './operators.ts';
import { toText } from './printing.ts';
import {
  compare,
  contains,
  Float,
  Instance,
  isArray,
  isDictionary,
  isEqual,
  isInteger,
  isNumber,
  type Value,
} from './values.ts';

export type Test = (value: Value, ...args: Value[]) => boolean;

/** Jinja's tests: what may stand after `is`, and in `select` and `selectattr`. */
const tests: ReadonlyMap<string, Test> = new Map<string, Test>([
  ...define(1, ['defined'], (value) => value !== undefined),
  ...define(1, ['undefined'], (value) => value === undefined),
  ...define(1, ['none'], (value) => value === null),
  ...define(1, ['true'], (value) => value === true),
  ...define(1, ['false'], (value) => value === false),
  ...define(1, ['boolean'], (value) => typeof value === 'boolean'),
  ...define(1, ['integer'], isInteger),
  ...define(1, ['float'], (value) => value instanceof Float),
  ...define(1, ['number'], isNumber),
  ...define(1, ['string'], (value) => typeof value === 'string'),
  ...define(1, ['mapping'], isDictionary),
  ...define(1, ['iterable', 'sequence'], isSequence),
  ...define(
    1,
    ['callable'],
    (value) =>
      value === undefined ||
      typeof value === 'function' ||
      (value instanceof Instance && value.call !== undefined),
  ),
  ...define(1, ['escaped'], () => false),
  ...define(1, ['odd'], (value) => isEqual(remainder(value, 2), 1)),
  ...define(1, ['even'], (value) => isEqual(remainder(value, 2), 0)),
  ...define(2, ['divisibleby'], (value, by) => isEqual(remainder(value, by), 0)),
  ...define(1, ['lower'], (value) => findMethod(toText(value), 'islower')!([], new Map()) === true),
  ...define(1, ['upper'], (value) => findMethod(toText(value), 'isupper')!([], new Map()) === true),
  ...define(1, ['test'], (value): boolean => tests.has(toText(value))),
  ...define(2, ['sameas'], (value, other) => value === other),
  ...define(2, ['in'], (value, container) => contains(container, value)),
  ...define(2, ['eq', '==', 'equalto'], isEqual),
  ...define(2, ['ne', '!='], (value, other) => !isEqual(value, other)),
  ...define(2, ['lt', '<', 'lessthan'], (value, other) => compare(value, other) < 0),
  ...define(2, ['le', '<='], (value, other) => compare(value, other) <= 0),
  ...define(2, ['gt', '>', 'greaterthan'], (value, other) => compare(value, other) > 0),
  ...define(2, ['ge', '>='], (value, other) => compare(value, other) >= 0),
]);

/** @throws TypeError if there is no such test */
export function findTest(name: string): Test {
  const test = tests.get(name);
  if (!test) throw new TypeError(`no test named '${name}'`);
  return test;
}

function define(count: number, names: readonly string[], test: Test): (readonly [string, Test])[] {
  const checked: Test = (...values) => {
    if (values.length === count) return test(...values);
    throw new TypeError(`the test '${names[0]}' takes ${count - 1} arguments, not ${values.length - 1}`);
  };
  return names.map((name) => [name, checked]);
}

function remainder(value: Value, by: Value): Value {
  if (typeof value === 'string') throw new TypeError('a text has no remainder');
  return binaryOperators.get('%')!(value, by);
}

function isSequence(value: Value): boolean {
  if (value === undefined || isDictionary(value)) return true;
  return typeof value === 'string' || isArray(value);
}
