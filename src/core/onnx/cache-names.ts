/** A value that a decoder step passes to the next one. */
interface Named {
  readonly name: string;
}

/** Whether an input carries state from the previous decoder step. */
export function isPast({ name }: Named): boolean {
  return /^past[._]/.test(name);
}

/**
 * Whether an input has keys or values, which grow by a slot per token. All other past inputs are states of a fixed
 * size: `past_conv.0`, `past_ssm.0`, `past_recurrent.0`, `past.0.conv`, `past_key_values.0.conv_state`.
 */
export function isPastKeyOrValue({ name }: Named): boolean {
  return name.startsWith('past_key_values.') && !name.endsWith('_state');
}

export function isPastState(value: Named): boolean {
  return isPast(value) && !isPastKeyOrValue(value);
}

/** The output that becomes the input `past` of the next step. */
export function presentName(past: string): string {
  return past.replace(/^past(_key_values)?/, 'present');
}

export function presentKeysAndValues(inputs: readonly Named[]): ReadonlySet<string> {
  return new Set(inputs.filter(isPastKeyOrValue).map(({ name }) => presentName(name)));
}

/** Embeddings instead of tokens, `[rows, count, size]`. */
export const embeddingsInput = 'inputs_embeds';

/** Embeddings of a token per layer, `[rows, count, layers, size]`: Gemma 3n and 4. */
export const layerEmbeddingsInput = 'per_layer_inputs';
