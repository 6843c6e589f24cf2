import { assertArray, assertCount, assertObject } from '../assert-values.ts';
import { indexOfLargest, likeliestToken, type LikeliestToken } from './likeliest-token.ts';

/** A token of a transducer, and the frame in which it was heard. */
export interface TransducerToken extends LikeliestToken {
  readonly startFrame: number;
  /** Exclusive: `startFrame` plus the predicted duration, or plus 1 for models without durations. */
  readonly endFrame: number;
}

/** The sizes of a transducer's search. */
export interface TransducerShape {
  readonly frames: number;
  /** Tokens, including the blank. Any logits beyond them are for durations in frames, from 0. */
  readonly vocabularySize: number;
  /** The blank token of the transducer. */
  readonly blank: number;
  /** After this many tokens the search leaves a frame. */
  readonly maxTokensPerFrame: number;
}

/** A search in progress: the caller runs the joint network for each of its steps. */
export interface TransducerSearch {
  /** The frame to read next; equals the number of frames once the search is over. */
  readonly frame: number;
  /** Input of the prediction network: the last token, initially the blank. */
  readonly previous: number;
  readonly tokens: readonly TransducerToken[];
  /**
   * Appends the likeliest token of `frame`.
   *
   * @param logits `[vocabularySize]`, or longer for a model of durations
   * @returns whether it is a token: the prediction network's state advances then, and stays unchanged after a blank
   * @throws RangeError for fewer logits than tokens, and once the search is over
   */
  advance(logits: Float32Array): boolean;
}

/**
 * Greedy decoding of transducers: the likeliest tokens of a frame, up to a blank, which advances to the next frame
 * (RNN-T). A model with durations predicts how many frames to advance (TDT); a duration of 0 stays on the frame.
 *
 * @see Graves, "Sequence Transduction with Recurrent Neural Networks", 2012
 * @see Xu et al., "Efficient Sequence Transduction by Jointly Predicting Tokens and Durations", 2023
 *
 * @example
 * ```ts
 * const search = beginTransducerSearch({ frames: 2, vocabularySize: 2, blank: 1, maxTokensPerFrame: 10 });
 * search.advance(Float32Array.of(9, 0)); // true
 * search.advance(Float32Array.of(0, 9)); // false
 * search.frame; // 1
 * ```
 */
export function beginTransducerSearch(shape: TransducerShape): TransducerSearch {
  assertObject('shape', shape);
  const { frames, vocabularySize, blank, maxTokensPerFrame } = shape;
  assertCount('frames', frames);
  assertCount('vocabularySize', vocabularySize, { min: 1 });
  assertCount('blank', blank, { max: vocabularySize - 1 });
  assertCount('maxTokensPerFrame', maxTokensPerFrame, { min: 1 });
  const tokens: TransducerToken[] = [];
  let frame = 0;
  let emitted = 0;
  let previous = blank;
  return {
    get frame() {
      return frame;
    },
    get previous() {
      return previous;
    },
    tokens,
    advance(logits) {
      if (frame >= frames) throw new RangeError(`frame: the search is over after ${frames}`);
      assertArray('logits', logits, Float32Array, { least: vocabularySize });
      const likeliest = likeliestToken(logits.subarray(0, vocabularySize));
      const isToken = likeliest.id !== blank;
      const duration = logits.length === vocabularySize ? 0 : indexOfLargest(logits.subarray(vocabularySize));
      if (isToken) {
        const endFrame = Math.min(frames, frame + Math.max(1, duration));
        tokens.push({ ...likeliest, startFrame: frame, endFrame });
        previous = likeliest.id;
        emitted++;
      }
      const isOver = !isToken || emitted === maxTokensPerFrame;
      const step = duration > 0 ? duration : isOver ? 1 : 0;
      if (step > 0) emitted = 0;
      frame = Math.min(frames, frame + step);
      return isToken;
    },
  };
}
