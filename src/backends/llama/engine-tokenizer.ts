import type { GgufMetadata } from '../../core/gguf/read-metadata.ts';
import type { PairEncoder } from '../../core/tokenization/pair-encoder.ts';
import type { TextTokenizer } from '../../folder/tokenizer.ts';
import type { LlamaModel } from '../../runtime/llama/llama-model.ts';

/** `tokenizer.ggml.token_type` of tokens that are no text. */
const controlTypes: ReadonlySet<unknown> = new Set([2, 3, 5]);

/** llama.cpp's tokenizer of a GGUF file as pipelines want one. */
export function createEngineTokenizer(model: LlamaModel, metadata: GgufMetadata): TextTokenizer {
  const texts = (metadata.get('tokenizer.ggml.tokens') ?? []) as readonly string[];
  const types = (metadata.get('tokenizer.ggml.token_type') ?? []) as readonly number[];
  // Tokenizers of this kind write a space before a text, which is no part of an answer.
  const hasPrefix =
    metadata.get('tokenizer.ggml.model') === 'llama' &&
    metadata.get('tokenizer.ggml.add_space_prefix') !== false;
  const bytes: (Uint8Array | undefined)[] = [];
  const bytesOf = (id: number): Uint8Array => (bytes[id] ??= model.bytesOf(id));
  const frame = frameOf(model);
  let ids: Map<string, number> | undefined;

  return {
    vocabularySize: model.vocabularySize,
    frame,
    encode: (text) => model.encode(text),
    pairWith: (text) => pairEncoder(text, (part) => model.encode(part), frame),
    decode(tokens) {
      const text = utf8.decode(Buffer.concat(tokens.map(bytesOf)));
      return hasPrefix && text.startsWith(' ') ? text.slice(1) : text;
    },
    tokenToId(token) {
      ids ??= new Map(texts.map((text, id) => [text, id]));
      return ids.get(token);
    },
    idToToken: (id) => texts[id],
    isSpecial: (id) => controlTypes.has(types[id]),
    bytesOf,
  };
}

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** The tokens that llama.cpp adds to a text. */
function frameOf(model: LlamaModel): TextTokenizer['frame'] {
  const probe = 'a';
  const own = model.encode(probe);
  const framed = model.encode(probe, { frame: true });
  const start = framed.findIndex((_, at) => own.every((id, index) => framed[at + index] === id));
  if (start === -1) return { before: [], after: [] };
  return { before: framed.slice(0, start), after: framed.slice(start + own.length) };
}

/** A pair as llama.cpp's rerankers read it: both texts, each with the end of a text after it. */
function pairEncoder(
  first: string,
  encode: (text: string) => readonly number[],
  { before, after }: TextTokenizer['frame'],
): PairEncoder {
  const head = [...before, ...encode(first), ...after];
  const length = head.length + after.length;
  return {
    length,
    encode(second, maxLength = Infinity) {
      if (maxLength < length) {
        throw new RangeError(
          `maxLength: expected at least the ${length} tokens beside the second text, got ${maxLength}`,
        );
      }
      const ids = Uint32Array.from([...head, ...encode(second).slice(0, maxLength - length), ...after]);
      return { ids, typeIds: new Uint32Array(ids.length).fill(1, head.length) };
    },
  };
}
