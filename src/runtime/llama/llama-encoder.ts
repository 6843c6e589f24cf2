import type { EncodedText } from '../../contracts/text-model.ts';
import { LlamaContext } from './llama-context.ts';
import type { LlamaModel } from './llama-model.ts';

export interface LlamaEncoderOptions {
  readonly contextLength: number;
  readonly maxTokens: number;
  /** Default: the model's own. */
  readonly pooling: keyof typeof poolingTypes | undefined;
  readonly threads: number;
}

/** `enum llama_pooling_type`; −1 is the model's own. */
const poolingTypes = { mean: 1, cls: 2, 'last-token': 3, rank: 4 } as const;
const ownPooling = -1;
const noPooling = 0;
const maxSequences = 256;

/** Computes embeddings of texts, or logits of pairs, with llama.cpp. */
export function createLlamaEncoder(
  model: LlamaModel,
  { contextLength, maxTokens, pooling, threads }: LlamaEncoderOptions,
) {
  // A text needs a single run, since encoders are bidirectional.
  const tokens = Math.max(contextLength, maxTokens);
  const open = (type: number): LlamaContext =>
    new LlamaContext(model, {
      tokens,
      batchSize: tokens,
      sequences: Math.min(maxSequences, tokens),
      threads,
      further: { embeddings: true, pooling_type: type },
    });
  let context = open(pooling ? poolingTypes[pooling] : ownPooling);
  let type = model.llama.call('llama_pooling_type', context.address);
  if (type === noPooling) {
    // A language model that wasn't trained for embeddings: its last token has attended to the whole text.
    context.release();
    type = poolingTypes['last-token'];
    context = open(type);
  }
  const dimensions = model.outputSize(type === poolingTypes.rank);

  return {
    dimensions,
    async encode(texts: readonly EncodedText[]): Promise<Float32Array[]> {
      const vectors: Float32Array[] = [];
      for (let start = 0; start < texts.length;) {
        let at = 0;
        let end = start;
        for (; end < texts.length && end - start < maxSequences; end++) {
          const { ids } = texts[end]!;
          if (at + ids.length > tokens) break;
          for (let index = 0; index < ids.length; index++, at++) {
            context.tokens[at] = ids[index]!;
            context.positions[at] = index;
            context.sequences[at] = end - start;
            context.outputs[at] = 1;
          }
        }
        if (end === start) throw new RangeError(`texts: expected at most ${tokens} tokens each`);
        context.clearAll();
        await context.run(at);
        for (let index = start; index < end; index++) vectors.push(context.pooled(index - start, dimensions));
        start = end;
      }
      return vectors;
    },
    async release(): Promise<void> {
      context.release();
      model.release();
    },
  };
}
