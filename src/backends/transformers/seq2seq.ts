import type { DynamicCache, PreTrainedModel, Tensor } from '@huggingface/transformers';
import type { TransformersPackage } from './load-package.ts';
import { keepStates, ones, toIds } from './chat/tensors.ts';

/** The method with which `generate()` runs the encoder. */
const prepare = '_prepare_encoder_decoder_kwargs_for_generation';

type Outputs = Readonly<Record<string, Tensor>>;

/** The state of a decoder with encoder outputs. */
export interface Seq2SeqState {
  readonly rows: number;
  encoded: { readonly states: Tensor; readonly mask: Tensor } | undefined;
  past: DynamicCache | undefined;
}

/** Splits an encoder–decoder model into its halves, run by the package's `forward()`, so that the encoder runs once. */
export function createSeq2Seq(
  model: PreTrainedModel,
  { Tensor: TensorOf, DynamicCache: CacheOf }: TransformersPackage,
) {
  const settings = { ...model.config, ...model.generation_config } as unknown as Readonly<
    Record<string, unknown>
  >;
  const startToken = settings['decoder_start_token_id'] ?? settings['bos_token_id'];
  const sessions = model.sessions as Readonly<Record<string, { readonly inputNames: readonly string[] }>>;
  const readsEncoderMask = sessions['decoder_model_merged']!.inputNames.includes('encoder_attention_mask');
  /** Some recognizer exports need a mask that their feature extractor doesn't create. */
  const withMask = (inputs: Outputs): Outputs => {
    const [first] = Object.values(inputs);
    const isWanted = sessions['model']!.inputNames.includes('attention_mask');
    if (!isWanted || inputs['attention_mask'] || !first) return inputs;
    return { ...inputs, attention_mask: ones(TensorOf, first.dims[0]!, first.dims[1]!) };
  };
  return {
    /** Tokens at the beginning of every answer. */
    start: [startToken, settings['forced_bos_token_id']].flat().filter((id) => typeof id === 'number'),
    ends: new Set([settings['eos_token_id']].flat()),
    /** Tokens that are never selected. */
    suppressed: readSuppressed(settings),
    async encode(given: Outputs): Promise<NonNullable<Seq2SeqState['encoded']>> {
      const inputs = withMask(given);
      const prepared = (await model[prepare]({
        inputs_tensor: Object.values(inputs)[0],
        model_inputs: { ...inputs },
        model_input_name: model.main_input_name,
        generation_config: { guidance_scale: null },
      })) as Outputs;
      const states = prepared['encoder_outputs']!;
      return { states, mask: inputs['attention_mask'] ?? ones(TensorOf, states.dims[0]!, states.dims[1]!) };
    },
    /**
     * Feeds tokens to the decoder.
     * @param tokens `[rows × count]`
     * @returns logits, `[rows, positions, vocabulary]`
     */
    async decode(state: Seq2SeqState, tokens: ArrayLike<number>, past: number): Promise<Tensor> {
      const ids = toIds(TensorOf, tokens, state.rows);
      const outputs = (await model.forward({
        encoder_outputs: state.encoded!.states,
        // The package would feed it to a graph that only needs the mask of the tokens.
        ...(readsEncoderMask && { attention_mask: state.encoded!.mask }),
        decoder_input_ids: ids,
        decoder_attention_mask: ones(TensorOf, state.rows, past + ids.dims[1]!),
        ...(state.past && { past_key_values: state.past }),
      })) as Outputs;
      keepStates(state, outputs, CacheOf);
      return outputs['logits']!;
    },
  };
}

function readSuppressed({
  bad_words_ids: words,
  suppress_tokens: tokens,
}: Readonly<Record<string, unknown>>): number[] {
  const single = (Array.isArray(words) ? (words as unknown[]) : []).filter(
    (word): word is [number] => Array.isArray(word) && word.length === 1,
  );
  const listed = Array.isArray(tokens) ? (tokens as unknown[]) : [];
  return [...single.flat(), ...listed].filter((id): id is number => typeof id === 'number' && id >= 0);
}
