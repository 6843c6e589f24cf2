import type { ClipTokenizer } from './clip-tokenizer.ts';
import type { GraphRunOptions, Session, TensorMap } from '../../../../contracts/graph.ts';
import { misfit } from './diffusion-folder.ts';
import { concatenated, toFloat32, toTensor } from './tensors.ts';

export interface EncodedText {
  /** `[positions × width]` */
  readonly states: Float32Array;
  readonly width: number;
  /** `[pooled width]`, if requested. */
  readonly pooled: Float32Array | undefined;
}

export type TextEncoder = ReturnType<typeof createTextEncoder>;

export interface TextEncoderOptions {
  /** Name of its folder. */
  readonly name: string;
  /** Use the states of the second-to-last layer. */
  readonly isPenultimate: boolean;
  readonly isPooled: boolean;
}

export function createTextEncoder(
  session: Session,
  tokenizer: ClipTokenizer,
  { name, isPenultimate, isPooled }: TextEncoderOptions,
) {
  const inputs = new Map(session.inputs.map((input) => [input.name, input]));
  const idsSignature = inputs.get('input_ids');
  const maskSignature = inputs.get('attention_mask');
  if (!idsSignature || inputs.size > (maskSignature ? 2 : 1))
    throw misfit(name, `expected the input input_ids, got ${[...inputs.keys()].join(', ')}`);
  const outputs = session.outputs.map((output) => output.name);
  // One output for the embeddings and one per layer.
  const layers = outputs.flatMap((output) => /^hidden_states\.(\d+)$/.exec(output)?.[1] ?? []).map(Number);
  const statesName = isPenultimate ? `hidden_states.${Math.max(1, ...layers) - 1}` : 'last_hidden_state';
  const wanted = isPooled ? [statesName, 'text_embeds'] : [statesName];
  for (const output of wanted) {
    if (outputs.includes(output)) continue;
    throw misfit(name, `expected an output ${output}, got ${outputs.join(', ')}`);
  }

  const run = (window: readonly number[], options?: GraphRunOptions): Promise<TensorMap> => {
    const dims = [1, window.length];
    const feeds = { input_ids: toTensor(idsSignature, Float32Array.from(window), dims) };
    if (!maskSignature) return session.run(feeds, wanted, options);
    const end = window.indexOf(tokenizer.endId);
    const mask = Float32Array.from(window, (_, index) => (index <= end ? 1 : 0));
    return session.run({ ...feeds, attention_mask: toTensor(maskSignature, mask, dims) }, wanted, options);
  };

  return {
    tokenizer,
    /** @param windows framed and padded, in order */
    async encode(windows: readonly (readonly number[])[], options?: GraphRunOptions): Promise<EncodedText> {
      const results: TensorMap[] = [];
      for (const window of windows) results.push(await run(window, options));
      const parts = results.map((result) => toFloat32(result[statesName]!));
      const pooled = isPooled ? toFloat32(results[0]!['text_embeds']!) : undefined;
      return { states: concatenated(parts), width: results[0]![statesName]!.dims.at(-1)!, pooled };
    },
    release: () => session.release(),
  };
}
