import type { Json } from '../contracts/files.ts';

/** The file that onnxruntime-genai's builder writes instead of `config.json`. */
export const genaiConfigFile = 'genai_config.json';

/** Converts onnxruntime-genai's configuration to Hugging Face's, as needed by decoders. */
export function toHubConfig(genai: Json | undefined): Json | undefined {
  const model = genai?.['model'];
  if (!isObject(model)) return undefined;
  const { type, context_length: length, decoder, encoder, vision, speech, embedding, ...rest } = model;
  if (!isObject(decoder) || [encoder, vision, speech, embedding].some(isObject)) return undefined;
  const { head_size: headSize, session_options: _, inputs: _inputs, outputs: _outputs, ...shape } = decoder;
  return {
    ...rest,
    ...shape,
    model_type: type,
    architectures: [`${String(type)}ForCausalLM`],
    max_position_embeddings: length,
    head_dim: headSize,
  };
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
