import { float16ToFloat32Into } from '../core/math/float16.ts';

export interface LogitsShape {
  readonly rows: number;
  readonly positions: number;
  readonly vocabularySize: number;
  /** Tokens of each row, followed by padding; default: no padding. A graph may return only the last ones. */
  readonly counts?: readonly number[] | undefined;
}

/**
 * Creates a function that returns the logits of each row's last token, `[rows × vocabularySize]`; the result is valid
 * until the next call, and a view if it is the whole input. Half precision is passed as bits.
 */
export function createLastLogits(): (logits: Float32Array | Uint16Array, shape: LogitsShape) => Float32Array {
  let memory = new Float32Array(0);
  return (logits, { rows, positions, vocabularySize, counts }) => {
    if (positions === 1 && logits instanceof Float32Array) return logits;
    if (memory.length < rows * vocabularySize) memory = new Float32Array(rows * vocabularySize);
    const last = memory.subarray(0, rows * vocabularySize);
    for (let row = 0; row < rows; row++) {
      const own = Math.min(counts?.[row] ?? positions, positions);
      const start = (row * positions + own - 1) * vocabularySize;
      const from = logits.subarray(start, start + vocabularySize);
      const into = last.subarray(row * vocabularySize, (row + 1) * vocabularySize);
      if (from instanceof Uint16Array) float16ToFloat32Into(into, from);
      else into.set(from);
    }
    return last;
  };
}
