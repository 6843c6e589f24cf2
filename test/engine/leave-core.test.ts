import { expect, it } from 'vitest';
import { parseProcessorList } from '../../src/engine/leave-core.ts';

it.each<[string, number[]]>([
  ['0', [0]],
  ['0-3', [0, 1, 2, 3]],
  ['0-1,4,6-7', [0, 1, 4, 6, 7]],
  ['', []],
])('reads the set of processors %j', (list, expected) => {
  expect(parseProcessorList(list)).toEqual(expected);
});
