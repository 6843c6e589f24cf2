import { expect, it } from 'vitest';
import { assignProcessors, parseProcessorList } from '../../src/engine/serve-worker.ts';

it.each<[string, number[]]>([
  ['0', [0]],
  ['0-3', [0, 1, 2, 3]],
  ['0-1,4,6-7', [0, 1, 4, 6, 7]],
  ['', []],
])('reads the set of processors %j', (list, expected) => {
  expect(parseProcessorList(list)).toEqual(expected);
});

it.each<[processors: number[], threads: number | undefined, places: number[][]]>([
  [[0], undefined, [[0], [0]]],
  [[0, 1], undefined, [[1], [0], [1]]],
  [[0, 1], 1, [[1], [0]]],
  [
    [0, 1],
    2,
    [
      [0, 1],
      [0, 1],
    ],
  ],
  [
    [2, 3, 5],
    2,
    [
      [3, 5],
      [2, 5],
      [2, 3],
      [3, 5],
    ],
  ],
  [[], undefined, [[]]],
])('of %j, workers of %s threads get %j', (processors, threads, places) => {
  expect(places.map((_, place) => assignProcessors(processors, { threads, place }))).toEqual(places);
});
