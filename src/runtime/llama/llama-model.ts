import { fieldError } from '../../errors.ts';
import { unpackedPath } from '../unpacked-path.ts';
import { loadLlama, type Address } from './load-library.ts';
import type { LlamaGpu } from './find-binaries.ts';

export interface LlamaModelOptions {
  readonly gpu?: LlamaGpu | undefined;
  /** Layers on the GPU; default: all. */
  readonly gpuLayers?: number | 'all' | undefined;
}

const utf8 = new TextEncoder();

export type LlamaModel = Awaited<ReturnType<typeof loadLlamaModel>>;

/** Loads a GGUF file, its vocabulary and the data for contexts; for several parts, the path of the first. */
export async function loadLlamaModel(path: string, { gpu, gpuLayers = 'all' }: LlamaModelOptions = {}) {
  const llama = await loadLlama(gpu).catch((error: Error) => {
    throw fieldError('backend', error.message, { cause: error });
  });
  const parameters = { ...llama.modelDefaults, n_gpu_layers: gpuLayers === 'all' ? -1 : gpuLayers };
  llama.takeErrors();
  const address = await llama.callAsync('llama_model_load_from_file', unpackedPath(path), parameters);
  if (address === null) throw fieldError('source', `llama.cpp can't load the file: ${llama.takeErrors()}`);
  const ownVocabulary = llama.call('llama_model_get_vocab', address)!;
  const vocabularySize = llama.call('llama_vocab_n_tokens', ownVocabulary);
  let ids = new Int32Array(1024);
  const typicalPiece = Buffer.alloc(1024);
  let isReleased = false;
  /** @throws Error after the release */
  const alive = (part: Address): Address => {
    if (isReleased) throw new Error('model: already released');
    return part;
  };
  return {
    llama,
    vocabularySize,
    /** Context length of its training. */
    trainedLength: llama.call('llama_model_n_ctx_train', address),
    /** Whether a sequence can be truncated anywhere; models with recurrent layers keep one state of the whole. */
    cutsSequences:
      !llama.call('llama_model_is_recurrent', address) && !llama.call('llama_model_is_hybrid', address),
    /** Throws after the release. */
    get address() {
      return alive(address);
    },
    outputSize: (ranks: boolean): number =>
      llama.call(ranks ? 'llama_model_n_cls_out' : 'llama_model_n_embd_out', alive(address)),
    /** Encodes a text; special tokens in it are parsed. */
    encode(text: string, { frame = false } = {}) {
      const bytes = utf8.encode(text);
      const vocabulary = alive(ownVocabulary);
      const tokenize = (): number =>
        llama.call('llama_tokenize', vocabulary, bytes, bytes.length, ids, ids.length, frame, true);
      let count = tokenize();
      if (count < 0) {
        ids = new Int32Array(-count);
        count = tokenize();
      }
      return Array.from(ids.subarray(0, count));
    },
    bytesOf(token: number): Uint8Array {
      if (!(token >= 0 && token < vocabularySize)) return new Uint8Array();
      const vocabulary = alive(ownVocabulary);
      const piece = (buffer: Buffer): number =>
        llama.call('llama_token_to_piece', vocabulary, token, buffer, buffer.length, 0, true);
      const size = piece(typicalPiece);
      if (size >= 0) return Uint8Array.from(typicalPiece.subarray(0, size));
      const large = Buffer.alloc(-size);
      return Uint8Array.from(large.subarray(0, piece(large)));
    },
    isEnd: (token: number): boolean => llama.call('llama_vocab_is_eog', alive(ownVocabulary), token),
    /** Only after releasing its contexts. @throws Error if called twice */
    release(): void {
      const own = alive(address);
      isReleased = true;
      llama.call('llama_model_free', own);
    },
  };
}
