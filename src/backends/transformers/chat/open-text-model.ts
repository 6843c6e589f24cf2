import { openModelFolder } from '../../../folder/model-folder.ts';
import { locateModel } from '../../../folder/source.ts';
import type { TextTokenizer } from '../../../contracts/text-model.ts';
import { createTextTokenizer } from '../../../folder/tokenizer.ts';
import type { ModelSpec } from '../../../contracts/model.ts';
import type { ChatSettings } from '../../../categories/chat/settings.ts';
import type { TextModel } from '../../../contracts/sessions.ts';
import { openFolder } from '../load-options.ts';
import type { TransformersPackage } from '../load-package.ts';
import type { TransformersBackend } from '../settings.ts';
import type { PreTrainedModel, Tensor } from '@huggingface/transformers';
import type { Decoder } from '../../../contracts/decoder.ts';
import { cachingMembers, createForwardCache, type ForwardCache } from './forward-cache.ts';
import { allLogits, keepStates, lastLogits, ones, toIds } from './tensors.ts';
import { createSeq2Seq } from '../seq2seq.ts';

/** Opens the language model of a folder; its decoder is loaded on demand. */
export async function openTextModel(spec: ModelSpec<ChatSettings>): Promise<TextModel> {
  const folder = await openModelFolder(locateModel(spec.source));
  const tokenizer = createTextTokenizer(folder);
  const { decoderPrompt = '' } = spec.backend as TransformersBackend;
  return {
    folder,
    tokenizer,
    maxRows: 1,
    openDecoder: () =>
      openFolder(spec, async ({ path, options, transformers }) => {
        if (folder.config['is_encoder_decoder'] === true) {
          const model = await transformers.AutoModelForSeq2SeqLM.from_pretrained(path, options);
          const prompt = tokenizer.encode(decoderPrompt);
          return createSeq2SeqDecoder(model, transformers, { frame: tokenizer.frame, prompt });
        }
        const model = await transformers.AutoModelForCausalLM.from_pretrained(path, options);
        return createCausalDecoder(model, transformers);
      }),
  };
}

type Outputs = Readonly<Record<string, Tensor>>;

/** Runs a decoder-only language model with the package's `forward()`. */
async function createCausalDecoder(
  model: PreTrainedModel,
  transformers: TransformersPackage,
): Promise<Decoder<ForwardCache>> {
  const { Tensor: TensorOf, DynamicCache: CacheOf } = transformers;
  const countTensor = (count: number) => new TensorOf('int64', BigInt64Array.of(BigInt(count)), []);
  const onePosition = countTensor(1);

  /** @param wanted number of last positions with logits; older graphs return all */
  const run = async (
    cache: ForwardCache,
    tokens: ArrayLike<number>,
    count: number,
    wanted: number,
  ): Promise<Tensor> => {
    const { rows, lengths } = cache;
    const outputs = (await model.forward({
      input_ids: toIds(TensorOf, tokens, rows),
      attention_mask: ones(TensorOf, rows, lengths[0]! + count),
      num_logits_to_keep: wanted === 1 ? onePosition : countTensor(wanted),
      ...(cache.past && { past_key_values: cache.past }),
    })) as Outputs;
    keepStates(cache, outputs, CacheOf);
    for (let row = 0; row < rows; row++) lengths[row]! += count;
    return outputs['logits']!;
  };
  const forward = async (cache: ForwardCache, tokens: ArrayLike<number>, count: number) =>
    lastLogits(await run(cache, tokens, count, 1));

  const probe = createForwardCache();
  const { length: vocabularySize } = await forward(probe, [0], 1);
  const states: [name: string, state: Tensor][] = Object.entries(probe.past ?? {});
  // Buffers on a device, and states without a row per sequence, can't be copied here.
  const keepsPrefixes = states.every(([, { location, dims }]) => location === 'cpu' && dims[0] === 1);
  // States other than keys and values represent a whole sequence.
  const cutsSequences = states.every(
    ([name, { dims }]) => name.startsWith('past_key_values.') && dims.at(-2) === 1,
  );
  probe.release();

  return {
    ...cachingMembers(model, transformers),
    vocabularySize,
    cutsSequences,
    keepsPrefixes,
    forward,
    forwardAll: async (cache, tokens) => allLogits(await run(cache, tokens, tokens.length, tokens.length)),
  };
}

/** Runs an encoder–decoder language model: the encoder reads the prompt, the decoder writes the answer. */
async function createSeq2SeqDecoder(
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

  const probe = createForwardCache();
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
