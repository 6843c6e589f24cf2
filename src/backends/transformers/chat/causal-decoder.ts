import type { PreTrainedModel, Tensor } from '@huggingface/transformers';
import type { Decoder } from '../../../contracts/decoder.ts';
import type { TransformersPackage } from '../load-package.ts';
import { cachingMembers, ForwardCache } from './forward-cache.ts';
import { allLogits, lastLogits, ones, toIds, toPastName } from './tensors.ts';

type Outputs = Readonly<Record<string, Tensor>>;

/** Runs a decoder-only language model by the package's `forward()`. */
export async function createCausalDecoder(
  model: PreTrainedModel,
  transformers: TransformersPackage,
): Promise<Decoder<ForwardCache>> {
  const { Tensor: TensorOf, DynamicCache: CacheOf } = transformers;
  const countTensor = (count: number) => new TensorOf('int64', BigInt64Array.of(BigInt(count)), []);
  const onePosition = countTensor(1);

  /** @param wanted positions at the end whose logits are wanted; an older graph gives all of them */
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
    const present = Object.entries(outputs).filter(([name]) => name.startsWith('present'));
    const past = Object.fromEntries(present.map(([name, tensor]) => [toPastName(name), tensor]));
    if (cache.past) cache.past.update(past);
    else cache.past = new CacheOf(past) as NonNullable<ForwardCache['past']>;
    for (let row = 0; row < rows; row++) lengths[row]! += count;
    return outputs['logits']!;
  };
  const forward = async (cache: ForwardCache, tokens: ArrayLike<number>, count: number) =>
    lastLogits(await run(cache, tokens, count, 1));

  const probe = new ForwardCache(1);
  const { length: vocabularySize } = await forward(probe, [0], 1);
  const states: [name: string, state: Tensor][] = Object.entries(probe.past ?? {});
  // Buffers on a device, and states without a row for each sequence, can't be copied here.
  const keepsPrefixes = states.every(([, { location, dims }]) => location === 'cpu' && dims[0] === 1);
  // Other states than keys and values stand for a whole sequence.
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
