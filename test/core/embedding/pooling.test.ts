import { describe, expect, it } from 'vitest';
import { pool, type PoolingMode, type TokenSpan } from '../../../src/core/embedding/pooling.ts';

// Two rows of three tokens of two numbers; the last token of the first row is padding.
const hidden = Float32Array.of(1, 2, 3, 6, 99, 99, 10, 20, 30, 40, 50, 90);
const layout = { length: 3, size: 2 };

describe('pool', () => {
  it.each<[PoolingMode, number, TokenSpan, number[]]>([
    ['cls', 0, { start: 0, end: 2 }, [1, 2]],
    ['mean', 0, { start: 0, end: 2 }, [2, 4]],
    ['last-token', 0, { start: 0, end: 2 }, [3, 6]],
    ['cls', 1, { start: 0, end: 3 }, [10, 20]],
    ['mean', 1, { start: 0, end: 3 }, [30, 50]],
    ['last-token', 1, { start: 0, end: 3 }, [50, 90]],
    ['mean', 1, { start: 1, end: 3 }, [40, 65]],
    ['cls', 1, { start: 1, end: 3 }, [30, 40]],
    ['mean', 1, { start: 2, end: 3 }, [50, 90]],
  ])('%s of row %d, %j', (mode, row, span, expected) => {
    expect([...pool(hidden, { row, ...layout }, span, mode)]).toEqual(expected);
  });

  it('gives a copy', () => {
    const given = hidden.slice();
    pool(given, { row: 0, ...layout }, { start: 0, end: 2 }, 'cls')[0] = 7;
    expect(given).toEqual(hidden);
  });

  it('loses nothing over many tokens', () => {
    const length = 100_000;
    const many = new Float32Array(length).fill(0.1);
    const [mean] = pool(many, { row: 0, length, size: 1 }, { start: 0, end: length }, 'mean');
    expect(mean).toBe(Math.fround(0.1));
  });

  it.each([
    { start: 0, end: 0 },
    { start: 2, end: 1 },
    { start: 0, end: 4 },
    { start: -1, end: 2 },
  ])('refuses %j', (span) => {
    expect(() => pool(hidden, { row: 0, ...layout }, span, 'mean')).toThrow(
      new RangeError(`span: expected tokens from 0 to 3, got ${span.start} to ${span.end}`),
    );
  });
});
