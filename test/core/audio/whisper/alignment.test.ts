import { describe, expect, it } from 'vitest';
import { dynamicTimeWarping } from '../../../../src/core/audio/whisper/token-times.ts';
import { medianFilterInto } from '../../../../src/core/audio/whisper/token-times.ts';
import { tokenTimes } from '../../../../src/core/audio/whisper/token-times.ts';
import { golden } from './golden.ts';

describe('dynamicTimeWarping', () => {
  it.each(golden.warpings)('goes the way of the reference through $rows × $columns', (warping) => {
    const [rows, columns] = warping.path;
    expect(dynamicTimeWarping(warping.costs, warping)).toEqual({ rows, columns });
  });
});

describe('medianFilterInto', () => {
  it.each(golden.medians)(
    'filters with width $width as the reference does',
    ({ width, values, filtered }) => {
      expect([...medianFilterInto(new Float32Array(values.length), values, width)]).toEqual(filtered);
    },
  );

  it.each([0, 2, 1.5])('refuses the width %j', (width) =>
    expect(() => medianFilterInto(new Float32Array(1), [1], width)).toThrow(RangeError),
  );
});

describe('tokenTimes', () => {
  it.each(golden.alignments)('finds when each of $rows tokens begins, as the reference does', (alignment) => {
    const { heads, columns, times } = alignment;
    const attention = heads.map((head) => Float32Array.from(head));
    expect(tokenTimes(attention, { ...alignment, used: columns })).toEqual(times);
  });

  it('does not look at the padding after the audio', () => {
    const { heads, rows, columns, start, end } = golden.alignments[0]!;
    const padding = 10;
    const padded = heads.map((head) =>
      Float32Array.from({ length: rows * (columns + padding) }, (_, index) => {
        const column = index % (columns + padding);
        return column < columns ? head[Math.floor(index / (columns + padding)) * columns + column]! : 900;
      }),
    );
    const shape = { rows, start, end, used: columns };
    const plain = heads.map((head) => Float32Array.from(head));
    expect(tokenTimes(padded, { ...shape, columns: columns + padding })).toEqual(
      tokenTimes(plain, { ...shape, columns }),
    );
  });
});
