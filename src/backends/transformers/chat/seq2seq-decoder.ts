import type { PreTrainedModel } from '@huggingface/transformers';
import type { Decoder } from '../../../contracts/decoder.ts';
import type { TextTokenizer } from '../../../folder/tokenizer.ts';
import type { TransformersPackage } from '../load-package.ts';
import { createSeq2Seq } from '../seq2seq.ts';
import { cachingMembers, ForwardCache } from './forward-cache.ts';
import { lastLogits, ones, toIds } from './tensors.ts';

/** Runs an encoder–decoder language model: the encoder reads the prompt, the decoder writes the answer. */
export async function createSeq2SeqDecoder(
  model: PreTrainedModel,
  transformers: TransformersPackage,
  { frame, prompt }: Pick<TextTokenizer, 'frame'> & { readonly prompt: readonly number[] },
): Promise<Decoder<ForwardCache>> {
  const { Tensor: TensorOf } = transformers;
  const halves = createSeq2Seq(model, transformers);
  const start = [...halves.start, ...prompt];

  const decode = async (
    cache: ForwardCache,
    tokens: ArrayLike<number>,
    past: number,
  ): Promise<Float32Array> => {
    const logits = lastLogits(await halves.decode(cache, tokens, past));
    const size = logits.length / cache.rows;
    for (let row = 0; row < cache.rows; row++) {
      for (const id of halves.suppressed) if (id < size) logits[row * size + id] = -Infinity;
    }
    return logits;
  };
  const forward = async (
    cache: ForwardCache,
    tokens: ArrayLike<number>,
    count: number,
  ): Promise<Float32Array> => {
    const { rows, lengths } = cache;
    const isPrompt = cache.encoded === undefined;
    if (isPrompt) {
      const text = [...frame.before, ...Array.from(tokens), ...frame.after];
      cache.encoded = await halves.encode({
        input_ids: toIds(TensorOf, text, rows),
        attention_mask: ones(TensorOf, rows, text.length),
      });
      cache.promptLength = count;
    }
    const fed = isPrompt ? start : tokens;
    const past = isPrompt ? 0 : lengths[0]! - cache.promptLength + start.length;
    const logits = await decode(cache, fed, past);
    for (let row = 0; row < rows; row++) lengths[row]! += count;
    return logits;
  };

  const probe = new ForwardCache(1);
  const { length: vocabularySize } = await forward(probe, [0], 1);
  probe.release();

  return {
    ...cachingMembers(model, transformers),
    vocabularySize,
    readsWholePrompts: true,
    keepsPrefixes: false,
    forward,
  };
}
