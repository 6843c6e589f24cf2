import { sourceError } from '../../../../folder/model-files.ts';
import type { GraphRunOptions, Session } from '../../../../contracts/graph.ts';
import {
  longestOf,
  readTokenInputs,
  toFloat32,
  type EncodedText,
} from '../../../../runtime/encoder/token-inputs.ts';
import type { Scorer } from '../../scorer.ts';

const output = 'logits';

/**
 * Makes a scorer of a graph with `input_ids`, `attention_mask` and, if it has it, `token_type_ids` → `logits` `[pairs × 1]`, or
 * `[pairs × 2]`, of which the difference counts: its sigmoid is the second one's share of the softmax.
 */
export async function createGraphScorer(session: Session): Promise<Pick<Scorer, 'encode' | 'release'>> {
  const names = session.outputs.map(({ name }) => name);
  if (!names.includes(output)) throw notAScorer(`no output ${output}, only ${names.join(', ')}`);
  const toFeeds = withReason(() => readTokenInputs(session.inputs));

  const encode = async (
    pairs: readonly EncodedText[],
    options?: GraphRunOptions,
  ): Promise<Float32Array[]> => {
    const feeds = toFeeds(pairs, longestOf(pairs));
    const result = (await session.run(feeds, [output], options))[output]!;
    const logits = withReason(() => toFloat32(result));
    const labels = logits.length / pairs.length;
    return pairs.map((_pair, row) => toLogit(logits.subarray(row * labels, (row + 1) * labels)));
  };

  await encode([{ ids: [0, 0] }]);
  return { encode, release: () => session.release() };
}

/** The logit of a pair, of one label or two. */
export function toLogit(labels: Float32Array): Float32Array {
  if (labels.length === 1) return labels;
  if (labels.length === 2) return Float32Array.of(labels[1]! - labels[0]!);
  throw notAScorer(`${labels.length} labels, expected one or two`);
}

function withReason<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof RangeError ? notAScorer(error.message) : error;
  }
}

function notAScorer(reason: string): Error {
  return sourceError(`the graph is not a cross-encoder: ${reason}`);
}
