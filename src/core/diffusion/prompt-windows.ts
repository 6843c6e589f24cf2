import { assertCount, assertList, assertObject } from '../assert-values.ts';
/** The special tokens of a text encoder, and its maximum number of tokens. */
export interface WindowFrame {
  readonly startId: number;
  readonly endId: number;
  readonly padId: number;
  /** Includes both special tokens; at least 3. */
  readonly windowLength: number;
}

/**
 * Number of windows for the tokens of a prompt, at least one.
 *
 * @example
 * ```ts
 * countWindows(new Array(80).fill(7), { startId: 0, endId: 1, padId: 1, windowLength: 77 }); // 2
 * ```
 */
export function countWindows(tokens: readonly number[], frame: WindowFrame): number {
  assertFrame(tokens, frame);
  const { windowLength } = frame;
  return Math.max(1, Math.ceil(tokens.length / (windowLength - 2)));
}

/**
 * Splits the tokens of a prompt into windows for a text encoder, each with its special tokens and padding.
 *
 * @param count number of windows, at least `countWindows`; windows after the end of the prompt are empty
 *
 * @example
 * ```ts
 * toWindows([5, 6, 7], { startId: 1, endId: 2, padId: 0, windowLength: 4 }, 2); // [[1, 5, 6, 2], [1, 7, 2, 0]]
 * ```
 */
export function toWindows(tokens: readonly number[], frame: WindowFrame, count: number): number[][] {
  assertFrame(tokens, frame);
  assertCount('count', count, { min: countWindows(tokens, frame) });
  const { startId, endId, padId, windowLength } = frame;
  const room = windowLength - 2;
  return Array.from({ length: count }, (_, index) => {
    const window = [startId, ...tokens.slice(index * room, (index + 1) * room), endId];
    while (window.length < windowLength) window.push(padId);
    return window;
  });
}

function assertFrame(tokens: readonly number[], frame: WindowFrame): void {
  assertList('tokens', tokens, assertCount);
  assertObject('frame', frame);
  const { startId, endId, padId, windowLength } = frame;
  for (const [name, id] of Object.entries({ startId, endId, padId })) assertCount(name, id);
  assertCount('windowLength', windowLength, { min: 3 });
}
