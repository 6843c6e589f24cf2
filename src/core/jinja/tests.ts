import { callTextMethod } from './methods.ts';
import { binaryOperators } from './operators.ts';
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

/** Jinja's tests of one or two values: after `is`, and in `select` and `selectattr`. */
const tests: ReadonlyMap<string, Test> = define({
  defined: (value) => value !== undefined,
  undefined: (value) => value === undefined,
  none: (value) => value === null,
  true: (value) => value === true,
  false: (value) => value === false,
  boolean: (value) => typeof value === 'boolean',
  integer: isInteger,
  float: (value) => value instanceof Float,
  number: isNumber,
  string: (value) => typeof value === 'string',
  mapping: isDictionary,
  'iterable|sequence': isSequence,
  callable: (value) =>
    ['undefined', 'function'].includes(typeof value) ||
    (value instanceof Instance && value.call !== undefined),
  odd: (value) => isEqual(remainder(value, 2), 1),
  even: (value) => isEqual(remainder(value, 2), 0),
  divisibleby: (value, by) => isEqual(remainder(value, by), 0),
  lower: (value) => callTextMethod(value, 'islower', []) === true,
  upper: (value) => callTextMethod(value, 'isupper', []) === true,
  in: (value, container) => contains(container, value),
  'eq|==|equalto': isEqual,
  'ne|!=': (value, other) => !isEqual(value, other),
  'lt|<|lessthan': (value, other) => compare(value, other) < 0,
  'le|<=': (value, other) => compare(value, other) <= 0,
  'gt|>|greaterthan': (value, other) => compare(value, other) > 0,
  'ge|>=': (value, other) => compare(value, other) >= 0,
});

/** @throws TypeError for an unknown test */
export function findTest(name: string): Test {
  const test = tests.get(name);
  if (!test) throw new TypeError(`the test '${name}' is not supported`);
  return test;
}

function define(rows: Readonly<Record<string, (value: Value, other: Value) => boolean>>): Map<string, Test> {
  const named = Object.entries(rows).flatMap(([key, test]) => {
    const names = key.split('|');
    const checked: Test = (value, ...args) => {
      if (args.length === test.length - 1) return test(value, args[0]);
      throw new TypeError(`the test '${names[0]}' takes ${test.length - 1} arguments, not ${args.length}`);
    };
    return names.map((name) => [name, checked] as const);
  });
  return new Map(named);
}

function remainder(value: Value, by: Value): Value {
  if (typeof value === 'string') throw new TypeError('a text has no remainder');
  return binaryOperators.get('%')!(value, by);
}

function isSequence(value: Value): boolean {
  if (value === undefined || isDictionary(value)) return true;
  return typeof value === 'string' || isArray(value);
}
