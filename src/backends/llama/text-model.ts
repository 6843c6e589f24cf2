import type { ModelSpec } from '../../contracts/model.ts';
import type { EncodingModel, TextModel } from '../../contracts/sessions.ts';
import type { GgufMetadata } from '../../core/gguf/read-metadata.ts';
import { createPairEncoder, placeholders } from '../../core/tokenization/pair-encoder.ts';
import { fieldError } from '../../errors.ts';
import { openGgufFolder, readGgufFile } from '../../folder/gguf/gguf-folder.ts';
import type { TextTokenizer } from '../../contracts/text-model.ts';
import { createTextTokenizer } from '../../folder/tokenizer.ts';
import { createLlamaDecoder } from '../../runtime/llama/llama-decoder.ts';
import { createLlamaEncoder } from '../../runtime/llama/llama-encoder.ts';
import { loadLlamaModel, type LlamaModel } from '../../runtime/llama/llama-model.ts';
import { defaultCacheTokens, type LlamaBackend } from './settings.ts';
import { releaseOnFailure } from '../../concurrency/release-on-failure.ts';
import { defaultThreads } from '../../runtime/session-options.ts';

/** `tokenizer.ggml.token_type` of tokens that aren't text. */
const controlTypes: ReadonlySet<unknown> = new Set([2, 3, 5]);

/** llama.cpp's tokenizer of a GGUF file, with the interface for pipelines. */
function createEngineTokenizer(model: LlamaModel, metadata: GgufMetadata): TextTokenizer {
  const texts = (metadata.get('tokenizer.ggml.tokens') ?? []) as readonly string[];
  const types = (metadata.get('tokenizer.ggml.token_type') ?? []) as readonly number[];
  // Tokenizers of this kind prepend a space, which isn't part of an answer.
  const hasPrefix =
    metadata.get('tokenizer.ggml.model') === 'llama' &&
    metadata.get('tokenizer.ggml.add_space_prefix') !== false;
  const bytes: (Uint8Array | undefined)[] = [];
  const bytesOf = (id: number): Uint8Array => (bytes[id] ??= model.bytesOf(id));
  const frame = frameOf(model);
  const pair = pairTemplate(frame);
  let ids: Map<string, number> | undefined;

  return {
    vocabularySize: model.vocabularySize,
    frame,
    encode: (text) => model.encode(text),
    pairWith: (text) => createPairEncoder(pair, text, (part) => Uint32Array.from(model.encode(part))),
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

/** The tokens that llama.cpp adds around a text. */
function frameOf(model: LlamaModel): TextTokenizer['frame'] {
  const probe = 'a';
  const own = model.encode(probe);
  const framed = model.encode(probe, { frame: true });
  const start = framed.findIndex((_, at) => own.every((id, index) => framed[at + index] === id));
  if (start === -1) return { before: [], after: [] };
  return { before: framed.slice(0, start), after: framed.slice(start + own.length) };
}

/** A pair as input of llama.cpp's rerankers: both texts, each followed by the end tokens. */
function pairTemplate({ before, after }: TextTokenizer['frame']) {
  const head = [...before, placeholders[0], ...after];
  const ids = Uint32Array.of(...head, placeholders[1], ...after);
  return { ids, typeIds: new Uint32Array(ids.length).fill(1, head.length) };
}

/**
 * Opens a GGUF file. Template, special tokens and limits come from its metadata. So does the tokenizer, if the file
 * contains a `tokenizer.json`; else llama.cpp's is used, since the metadata only names the pre-tokenization rules.
 */
export async function openGgufModel(spec: ModelSpec): Promise<TextModel & EncodingModel> {
  const { gpu, gpuLayers, cacheTokens } = (spec.backend ?? {}) as Partial<LlamaBackend>;
  const threads = spec.threads ?? defaultThreads();
  const metadata = readGgufFile(spec.source);
  return releaseOnFailure(async (own) => {
    const model = own(await loadLlamaModel(spec.source, { gpu, gpuLayers }));
    const ends = Array.from({ length: model.vocabularySize }, (_, id) => id).filter((id) => model.isEnd(id));
    const folder = await openGgufFolder(spec.source, metadata, ends);
    const tokenizer = folder.hasTokenizer
      ? createTextTokenizer(folder)
      : createEngineTokenizer(model, metadata);
    let isTaken = false;
    const taken = <T>(user: T): T => {
      isTaken = true;
      return user;
    };
    return {
      folder,
      tokenizer,
      contextLength: Math.min(model.trainedLength, cacheTokens ?? defaultCacheTokens),
      async openDecoder({ contextLength, maxRows }) {
        const tokens = cacheTokens ?? Math.max(defaultCacheTokens, contextLength);
        if (tokens < contextLength) {
          const reason = `expected at least the ${contextLength} of contextLength, got ${tokens}`;
          throw fieldError('backend.cacheTokens', reason);
        }
        return taken(createLlamaDecoder(model, { cacheTokens: tokens, maxRows, threads }));
      },
      openEncoder: async ({ contextLength, maxTokens, pooling }) =>
        taken(createLlamaEncoder(model, { contextLength, maxTokens, pooling, threads })),
      async release() {
        if (!isTaken) model.release();
      },
    };
  });
}
