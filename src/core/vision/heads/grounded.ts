import { assertList, assertObject, assertTokens } from '../../assert-values.ts';
import { resetCandidates } from '../candidates.ts';
import { type DetrOutputs, addQueryBox } from './detr.ts';
import { assertDecodable, type DecodeOptions, type SizedDecodeOptions, type Decode } from './head.ts';

/** The tokens of a class in the prompt: `[start, end)`. */
export type TokenSpan = readonly [start: number, end: number];

/** `SizedDecodeOptions` for models that score the tokens of a prompt. */
export interface GroundedDecodeOptions extends Omit<SizedDecodeOptions, keyof DecodeOptions> {
  /** Minimum score, above 0. */
  readonly confidence: number;
  /** By class id. */
  readonly spans: readonly TokenSpan[];
}

/**
 * Decodes the outputs of open-vocabulary detectors: each query has a box and a score per word or token of the prompt.
 * The class of a query is the class with the best score. For OWL-ViT a class is one entry, for Grounding DINO one entry
 * per token of its words.
 *
 * @param outputs.logits `[1 × queries × tokens]`
 * @param outputs.boxes `[1 × queries × 4]`, centre and size, 0 to 1
 * @see https://arxiv.org/abs/2303.05499 section 3.4
 *
 * @example
 * ```ts
 * const outputs = {
 *   logits: { data: Float32Array.of(-9, 2, -9), dims: [1, 1, 3] },
 *   boxes: { data: Float32Array.of(0.5, 0.5, 1, 1), dims: [1, 1, 4] },
 * };
 * const options = { spans: [[1, 2]] as const, confidence: 0.5, input: { width: 8, height: 8 } };
 * decodeGroundedInto(createCandidates(), outputs, options).count; // 1
 * ```
 */
export const decodeGroundedInto: Decode<DetrOutputs, GroundedDecodeOptions> = (
  candidates,
  outputs,
  options,
) => {
  assertObject('outputs', outputs);
  assertObject('options', options);
  const { logits, boxes } = outputs;
  const { spans, confidence, input } = options;
  assertList('spans', spans, assertTokens);
  assertDecodable({ logits, boxes }, 3, { classCount: Math.max(1, spans.length), confidence, input }, true);
  const [, queries = 0, tokens = 0] = logits.dims;
  resetCandidates(candidates, queries);
  for (let query = 0; query < queries; query++) {
    let best = -Infinity;
    let classId = -1;
    for (const [id, [start, end]] of spans.entries()) {
      for (let token = start; token < Math.min(end, tokens); token++) {
        const logit = logits.data[query * tokens + token]!;
        if (logit > best) [best, classId] = [logit, id];
      }
    }
    const score = 1 / (1 + Math.exp(-best));
    if (!(score >= confidence)) continue;
    addQueryBox(candidates, boxes.data, { query, score, classId }, input);
  }
  return candidates;
};
