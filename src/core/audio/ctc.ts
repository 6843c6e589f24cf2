import { assertArray, assertCount, assertObject } from '../assert-values.ts';
import { likeliestToken } from './likeliest-token.ts';

/** A token of a recognizer's output, and the frames in which it was heard. */
export interface CtcToken {
  readonly id: number;
  readonly startFrame: number;
  /** Exclusive. */
  readonly endFrame: number;
}

/** The most likely path through the frames. */
export interface CtcPath {
  /** The best token of each frame, repeats and blanks included. */
  readonly frames: readonly number[];
  /** Without blanks and repeats. */
  readonly tokens: readonly CtcToken[];
  /** Mean natural logarithm of the probability of each frame's best token. */
  readonly averageLogprob: number;
}

/** The shape of a recognizer's output. */
export interface CtcShape {
  readonly frames: number;
  readonly vocabularySize: number;
  /** The blank token of CTC. */
  readonly blank: number;
}

/**
 * Greedy decoding of connectionist temporal classification: the best token of each frame, with repeats merged and
 * blanks dropped.
 *
 * @param logits `[frames × vocabularySize]`
 * @throws RangeError if the shape doesn't match the logits
 * @see Graves et al., "Connectionist Temporal Classification", 2006, section 3.2
 *
 * @example
 * ```ts
 * const logits = Float32Array.of(0, 9, 0, 9, 9, 0, 0, 9); // four frames of two tokens; 0 is the blank
 * decodeCtc(logits, { frames: 4, vocabularySize: 2, blank: 0 }).tokens.length; // 2
 * ```
 */
export function decodeCtc(logits: Float32Array, shape: CtcShape): CtcPath {
  assertObject('shape', shape);
  const { frames, vocabularySize, blank } = shape;
  assertCount('frames', frames);
  assertCount('vocabularySize', vocabularySize, { min: 1 });
  assertCount('blank', blank, { max: vocabularySize - 1 });
  assertArray('logits', logits, Float32Array, { length: frames * vocabularySize });
  const path: number[] = [];
  const tokens: CtcToken[] = [];
  let total = 0;
  let start = 0;
  for (let frame = 0; frame < frames; frame++) {
    const { id: best, logprob } = likeliestToken(
      logits.subarray(frame * vocabularySize, (frame + 1) * vocabularySize),
    );
    total += logprob;
    if (frame > 0 && best !== path[frame - 1]) {
      endToken(tokens, { id: path[frame - 1]!, startFrame: start, endFrame: frame }, blank);
      start = frame;
    }
    path.push(best);
  }
  if (frames > 0) endToken(tokens, { id: path[frames - 1]!, startFrame: start, endFrame: frames }, blank);
  return { frames: path, tokens, averageLogprob: frames === 0 ? 0 : total / frames };
}

function endToken(tokens: CtcToken[], token: CtcToken, blank: number): void {
  if (token.id !== blank) tokens.push(token);
}
