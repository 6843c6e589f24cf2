/** A value that a step of a decoder leaves to the next one. */
interface Named {
  readonly name: string;
}

/** Whether an input carries something from one step of a decoder to the next. */
export function isPast({ name }: Named): boolean {
  return /^past[._]/.test(name);
}

/**
 * Whether an input has keys or values, which grow by a slot for each token. Others are states of a fixed size:
 * `past_conv.0`, `past_ssm.0`, `past_recurrent.0`, `past.0.conv`, `past_key_values.0.conv_state`.
 */
export function isPastKeyOrValue({ name }: Named): boolean {
  return name.startsWith('past_key_values.') && !name.endsWith('_state');
}

/** Whether an input has a state of a fixed size. */
export function isPastState(value: Named): boolean {
  return isPast(value) && !isPastKeyOrValue(value);
}

/** The output that becomes the input `past` of the next step. */
export function presentName(past: string): string {
  return past.replace(/^past(_key_values)?/, 'present');
}

/** Names of the outputs with keys and values. */
export function presentKeysAndValues(inputs: readonly Named[]): ReadonlySet<string> {
  return new Set(inputs.filter(isPastKeyOrValue).map(({ name }) => presentName(name)));
}

/** Embeddings in place of tokens, `[rows, count, size]`. */
export const embeddingsInput = 'inputs_embeds';

/** Embeddings of a token for each layer, `[rows, count, layers, size]`: Gemma 3n and 4. */
export const layerEmbeddingsInput = 'per_layer_inputs';
