import { float16ToFloat32Into } from '../../../core/math/float16.ts';

/** Memory layout of logits. */
export interface LogitsShape {
  readonly rows: number;
  readonly positions: number;
  readonly vocabularySize: number;
  /** Tokens of each row, the rest is padding; default: none is. */
  readonly counts?: readonly number[] | undefined;
}

/** Makes a function that gives the logits of each row's last token; its result is valid until the next call. */
export function createLastLogits(): (logits: Float32Array | Uint16Array, shape: LogitsShape) => Float32Array {
  let converted = new Float32Array(0);
  return (logits, { rows, positions, vocabularySize, counts }) => {
    let values = logits as Float32Array;
    if (logits instanceof Uint16Array) {
      if (converted.length < logits.length) converted = new Float32Array(logits.length);
      values = float16ToFloat32Into(converted.subarray(0, logits.length), logits);
    }
    if (positions === 1) return values;
    const last = new Float32Array(rows * vocabularySize);
    for (let row = 0; row < rows; row++) {
      const start = (row * positions + (counts?.[row] ?? positions) - 1) * vocabularySize;
      last.set(values.subarray(start, start + vocabularySize), row * vocabularySize);
    }
    return last;
  };
}
