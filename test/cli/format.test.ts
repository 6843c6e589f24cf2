import { expect, it } from 'vitest';
import { formatAge, formatBytes, formatCount, formatNumber, formatSeconds } from '../../src/cli/format.ts';

it.each([
  [0, '0 B'],
  [999, '999 B'],
  [1000, '1.0 kB'],
  [9999, '10.0 kB'],
  [123_456, '123 kB'],
  [999_600, '1.0 MB'],
  [2_500_000_000, '2.5 GB'],
  [5e15, '5000 TB'],
])('%i bytes are %s', (bytes, text) => expect(formatBytes(bytes)).toBe(text));

it.each([
  [0.04, '0.0 s'],
  [9.94, '9.9 s'],
  [59.4, '59 s'],
  [125, '2 min 5 s'],
  [7260, '2 h 1 min'],
])('%d s are %s', (seconds, text) => expect(formatSeconds(seconds)).toBe(text));

it.each([
  [950, '950'],
  [21_000, '21 k'],
  [1_900_000, '1.9 M'],
  [134e6, '134 M'],
  [3.08e9, '3.1 B'],
])('%d numbers are %s', (count, text) => expect(formatCount(count)).toBe(text));

it.each([
  [0, '0'],
  [0.01912, '0.0191'],
  [6.471, '6.47'],
  [115.66, '115.7'],
  [4567.8, '4568'],
])('%d is written %s', (value, text) => expect(formatNumber(value)).toBe(text));

it.each([
  [5, 'just now'],
  [61, '1 minute ago'],
  [7200, '2 hours ago'],
  [100_000, 'yesterday'],
  [864_000, '10 days ago'],
])('%i s before is %s', (seconds, text) => {
  const now = new Date('2026-11-20T12:00:00Z');
  expect(formatAge(new Date(now.getTime() - seconds * 1000), now)).toBe(text);
});
