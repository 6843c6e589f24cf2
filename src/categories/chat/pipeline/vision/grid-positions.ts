import { getOrCreate } from '../../../../core/get-or-create.ts';
import type { CacheRow, DecoderCache } from '../../../../contracts/decoder.ts';
import type { PictureTable } from './picture-table.ts';

/** From token index `at` on, position = index + `shift`. */
interface Shift {
  readonly at: number;
  readonly shift: number;
}

/** An image advances the position by the tokens of its longer side. Section 2.1 of https://arxiv.org/abs/2409.12191 */
export function createGridPositions(pictures: Pick<PictureTable, 'find'>) {
  const shiftsOf = new WeakMap<DecoderCache, Shift[][]>();
  return {
    gather(rows: readonly CacheRow[], gathered: DecoderCache): void {
      const shifts = rows.map(({ cache, row, length = Infinity }) =>
        (shiftsOf.get(cache)?.[row] ?? []).filter(({ at }) => at <= length),
      );
      shiftsOf.set(gathered, shifts);
    },
    /** Positions of new tokens. @param tokens `[rows × count]` @returns `[3 × rows × count]` */
    next(
      cache: DecoderCache,
      tokens: Int32Array,
      count: number,
      counts: readonly number[] | undefined,
    ): Int32Array {
      const { rows, lengths } = cache;
      const shifts = getOrCreate(shiftsOf, cache, () => Array.from({ length: rows }, (): Shift[] => []));
      const plane = rows * count;
      const positions = new Int32Array(3 * plane);
      for (let row = 0; row < rows; row++) {
        const own = shifts[row]!;
        for (let index = 0; index < count; index++) {
          const at = row * count + index;
          const number = lengths[row]! + index;
          const token = tokens[at]!;
          if (token >= 0 || index >= (counts?.[row] ?? count)) {
            positions.fill(number + (own.at(-1)?.shift ?? 0), at, at + 1);
            positions[plane + at] = positions[2 * plane + at] = positions[at]!;
            continue;
          }
          const { picture, row: inner } = pictures.find(token);
          const { rows: high, columns: wide } = picture.grid ?? { rows: 1, columns: picture.rows };
          const start = number - inner + (own.findLast((shift) => shift.at <= number - inner)?.shift ?? 0);
          positions[at] = start;
          positions[plane + at] = start + Math.floor(inner / wide);
          positions[2 * plane + at] = start + (inner % wide);
          if (inner + 1 === picture.rows)
            own.push({ at: number + 1, shift: start + Math.max(high, wide) - (number + 1) });
        }
      }
      return positions;
    },
  };
}
