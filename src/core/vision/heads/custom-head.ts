import { assertFunction, assertObject, assertOneOf } from '../../assert-values.ts';
import { addCandidate, resetCandidates, type Candidates } from '../candidates.ts';
import { assertDecodable, isWanted } from './head.ts';
import type { HeadOutput, OutputQuery, SizedDecodeOptions } from './head.ts';
import { headNames, type HeadName } from './registry.ts';

/** A box that a head of the user's own found. */
export interface CustomBox {
  /** x1, y1, x2, y2 in pixels of the model's input. */
  readonly box: readonly [number, number, number, number];
  /** 0 to 1. */
  readonly score: number;
  readonly classId: number;
}

/** A layout of outputs that the user's own module decodes: its default export. */
export interface CustomHead {
  /** The layout whose models get their images in the same way; default `yolov8`. */
  readonly like?: HeadName | undefined;
  /** Whether nothing needs to be suppressed; default `false`. */
  readonly picksBoxes?: boolean | undefined;
  /** Number of classes in the outputs, for a model whose files and settings name none. */
  classCount?(outputs: OutputQuery['outputs']): number;
  /**
   * Decodes the outputs of one image.
   *
   * @param outputs by name; valid during the call
   */
  decode(outputs: Readonly<Record<string, HeadOutput>>, options: SizedDecodeOptions): Iterable<CustomBox>;
}

/**
 * Decodes outputs with a head of the user's own; boxes below the confidence and of other classes are left out here.
 *
 * @param candidates receives the boxes; what was in it is lost
 * @returns `candidates`
 *
 * @example
 * ```ts
 * const head = { decode: () => [{ box: [1, 2, 3, 4] as const, score: 0.9, classId: 0 }] };
 * const options = { classCount: 1, confidence: 0.25, input: { width: 8, height: 8 } };
 * decodeCustomInto(createCandidates(), {}, head, options).count; // 1
 * ```
 */
export function decodeCustomInto(
  candidates: Candidates,
  outputs: Readonly<Record<string, HeadOutput>>,
  head: CustomHead,
  options: SizedDecodeOptions,
): Candidates {
  assertObject('outputs', outputs);
  assertDecodable(outputs, undefined, options, true);
  assertObject('head', head);
  assertFunction('head.decode', head.decode);
  if (head.like !== undefined) assertOneOf('head.like', head.like, headNames);
  const found = [...head.decode(outputs, options)];
  resetCandidates(candidates, found.length);
  for (const { box, score, classId } of found) {
    if (isWanted(options, score, classId)) addCandidate(candidates, ...box, score, classId);
  }
  return candidates;
}
