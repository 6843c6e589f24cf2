import { join } from 'node:path';
import type { GraphRunOptions, Session } from '../../../../contracts/graph.ts';
import type { ModelSpec } from '../../../../contracts/model.ts';
import type { EncodingModel, SessionBackend } from '../../../../contracts/sessions.ts';
import { localFiles } from '../../../../folder/graph-files.ts';
import { openModelFolder } from '../../../../folder/model-folder.ts';
import { locateModel } from '../../../../folder/source.ts';
import { chooseTextLength, readTextLength } from '../../../../folder/text-length.ts';
import { createTextTokenizer } from '../../../../folder/tokenizer.ts';
import { defaultBatchLimits } from '../../../../runtime/encoder/sequence-batcher.ts';
import type { EncodedText } from '../../../../contracts/text-model.ts';
import { maxLengthOf, readTokenInputs, toFloat32 } from '../../../../runtime/encoder/token-inputs.ts';
import type { Scorer } from '../../scorer.ts';
import type { RerankSettings } from '../../settings.ts';
import { releaseOnFailure } from '../../../../concurrency/release-on-failure.ts';
import { singleGraph, defaultGraph } from '../../../../folder/model-files.ts';
import { readGraph, wrongGraph } from '../../../../runtime/wrong-graph.ts';

const output = 'logits';
const notAScorer = wrongGraph('a cross-encoder');

/**
 * Inputs: `input_ids`, `attention_mask`, optionally `token_type_ids`; output: `logits` `[pairs × 1]` or `[pairs × 2]`. Two logits
 * are subtracted: the sigmoid of the difference equals the second logit's softmax.
 */
async function createGraphScorer(session: Session): Promise<Pick<Scorer, 'encode' | 'release'>> {
  const names = session.outputs.map(({ name }) => name);
  if (!names.includes(output)) throw notAScorer(`no output ${output}, only ${names.join(', ')}`);
  const toFeeds = readGraph(notAScorer, () => readTokenInputs(session.inputs));

  const encode = async (
    pairs: readonly EncodedText[],
    options?: GraphRunOptions,
  ): Promise<Float32Array[]> => {
    const feeds = toFeeds(pairs, maxLengthOf(pairs));
    const result = (await session.run(feeds, [output], options))[output]!;
    const logits = readGraph(notAScorer, () => toFloat32(result));
    const labels = logits.length / pairs.length;
    return pairs.map((_pair, row) => toLogit(logits.subarray(row * labels, (row + 1) * labels)));
  };

  await encode([{ ids: [0, 0] }]);
  return { encode, release: () => session.release() };
}

function toLogit(labels: Float32Array): Float32Array {
  if (labels.length === 1) return labels;
  if (labels.length === 2) return Float32Array.of(labels[1]! - labels[0]!);
  throw notAScorer(`${labels.length} labels, expected one or two`);
}

/** Opens a cross-encoder in Hugging Face's ONNX layout, or an engine's. */
export async function openCrossEncoder(
  spec: ModelSpec<RerankSettings>,
  sessions: SessionBackend,
): Promise<Scorer> {
  if (sessions.openTextEncoder) return openEngineScorer(spec, await sessions.openTextEncoder(spec));
  const path = locateModel(spec.source);
  const folder = await openModelFolder(path);
  const contextLength = chooseTextLength(spec.contextLength, readTextLength(folder));
  const tokenizer = createTextTokenizer(folder);
  // Reject a tokenizer without pairs at load time.
  tokenizer.pairWith('');
  const graph = join(path, sessions.hasGraphs ? singleGraph(localFiles(path), spec.dtype) : defaultGraph);
  return releaseOnFailure(async (own) => {
    const scorer = await createGraphScorer(own(await sessions.openSession({ graph }, spec)));
    return { ...scorer, tokenizer, contextLength, created: folder.created };
  });
}

/** The engine returns one or two logits per pair. */
async function openEngineScorer(spec: ModelSpec<RerankSettings>, model: EncodingModel): Promise<Scorer> {
  const { maxBatchTokens: maxTokens = defaultBatchLimits.maxTokens } = spec;
  const { tokenizer, folder } = model;
  return releaseOnFailure(async (own) => {
    own(model);
    const contextLength = chooseTextLength(spec.contextLength, model.contextLength);
    const encoder = await model.openEncoder({ contextLength, maxTokens, pooling: 'rank' });
    return {
      ...encoder,
      encode: async (pairs) => (await encoder.encode(pairs)).map(toLogit),
      tokenizer,
      contextLength,
      created: folder.created,
    };
  });
}
