/** Embeddings in place of tokens, `[rows, count, size]`. */
export const embeddingsInput = 'inputs_embeds';

/** Embeddings of a token for each layer, `[rows, count, layers, size]`: Gemma 3n and 4. */
export const layerEmbeddingsInput = 'per_layer_inputs';
