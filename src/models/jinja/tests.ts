import {
  compare,
  contains,
  Float,
  isArray,
  isDictionary,
  isEqual,
  isInteger,
  isNumber,
  numberOf,
  type Value,
} from './values.ts';

export type Test = (value: Value, argument?: Value) => boolean;

/** Jinja's tests: what may stand behind `is`, and in `select` and `selectattr`. */
export const tests: ReadonlyMap<string, Test> = new Map<string, Test>([
  ['defined', (value) => value !== undefined],
  ['undefined', (value) => value === undefined],
  ['none', (value) => value === null],
  ['true', (value) => value === true],
  ['false', (value) => value === false],
  ['boolean', (value) => typeof value === 'boolean'],
  ['integer', isInteger],
  ['float', (value) => value instanceof Float],
  ['number', isNumber],
  ['string', (value) => typeof value === 'string'],
  ['mapping', isDictionary],
  ['iterable', isSequence],
  ['sequence', isSequence],
  ['callable', (value) => value === undefined || typeof value === 'function'],
  ['odd', (value) => isNumber(value) && Math.abs(numberOf(value)) % 2 === 1],
  ['even', (value) => isNumber(value) && numberOf(value) % 2 === 0],
  ['divisibleby', (value, by) => isNumber(value) && isNumber(by) && numberOf(value) % numberOf(by) === 0],
  [
    'lower',
    (value) => typeof value === 'string' && value === value.toLowerCase() && value !== value.toUpperCase(),
  ],
  [
    'upper',
    (value) => typeof value === 'string' && value === value.toUpperCase() && value !== value.toLowerCase(),
  ],
  ['in', (value, container) => contains(container, value)],
  ...named(['eq', '==', 'equalto'], isEqual),
  ...named(['ne', '!='], (value, other) => !isEqual(value, other)),
  ...named(['lt', '<', 'lessthan'], (value, other) => compare(value, other) < 0),
  ...named(['le', '<='], (value, other) => compare(value, other) <= 0),
  ...named(['gt', '>', 'greaterthan'], (value, other) => compare(value, other) > 0),
  ...named(['ge', '>='], (value, other) => compare(value, other) >= 0),
]);

/** @throws TypeError if there is no such test */
export function findTest(name: string): Test {
  const test = tests.get(name);
  if (!test) throw new TypeError(`no test named '${name}'`);
  return test;
}

function isSequence(value: Value): boolean {
  return value === undefined || typeof value === 'string' || isArray(value) || isDictionary(value);
}

function named(names: readonly string[], test: Test): (readonly [string, Test])[] {
  return names.map((name) => [name, test]);
}
