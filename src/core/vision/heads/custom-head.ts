import { assertFunction, assertObject, assertOneOf } from '../../assert-values.ts';
import { addCandidate, resetCandidates, type Candidates } from '../candidates.ts';
import { assertDecodable, isWanted } from './head.ts';
import type { HeadOutput, OutputQuery, SizedDecodeOptions } from './head.ts';
import { headNames, type HeadName } from './registry.ts';

/** A box from a custom head. */
export interface CustomBox {
  /** x1, y1, x2, y2 in pixels of the model's input. */
  readonly box: readonly [number, number, number, number];
  /** 0 to 1. */
  readonly score: number;
  readonly classId: number;
}

/** A custom output layout: the default export of the user's module. */
export interface CustomHead {
  /** The layout with the same image preprocessing; default `yolov8`. */
  readonly like?: HeadName | undefined;
  /** Whether the boxes need no suppression; default `false`. */
  readonly picksBoxes?: boolean | undefined;
  /** Number of classes in the outputs, for a model whose files and settings don't name classes. */
  classCount?(outputs: OutputQuery['outputs']): number;
  /**
   * Decodes the outputs of one image.
   *
   * @param outputs by name; valid during the call
   */
  decode(outputs: Readonly<Record<string, HeadOutput>>, options: SizedDecodeOptions): Iterable<CustomBox>;
}

/**
 * Decodes outputs with a custom head, and drops boxes below the confidence and of unselected classes.
 *
 * @param candidates receives the boxes; overwritten
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
