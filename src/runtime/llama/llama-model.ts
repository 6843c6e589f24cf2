import { fieldError } from '../../errors.ts';
import { unpackedPath } from '../unpacked-path.ts';
import { loadLlama, type Address, type LlamaLibrary } from './load-library.ts';
import type { LlamaGpu } from './find-binaries.ts';

export interface LlamaModelOptions {
  readonly gpu?: LlamaGpu | undefined;
  /** Layers on the graphics processor; default: all. */
  readonly gpuLayers?: number | 'all' | undefined;
}

const utf8 = new TextEncoder();

/** A GGUF file that llama.cpp has loaded: its vocabulary, and what contexts need. */
export class LlamaModel {
  readonly llama: LlamaLibrary;
  readonly vocabularySize: number;
  /** Tokens that it was trained with at once. */
  readonly trainedLength: number;
  /** Whether a sequence can be cut anywhere; models with recurrent layers keep a state of the whole. */
  readonly cutsSequences: boolean;
  #address: Address;
  readonly #vocabulary: Address;
  #ids = new Int32Array(1024);
  readonly #piece = Buffer.alloc(1024);

  private constructor(llama: LlamaLibrary, address: Address) {
    this.llama = llama;
    this.#address = address;
    this.#vocabulary = llama.call('llama_model_get_vocab', address)!;
    this.vocabularySize = llama.call('llama_vocab_n_tokens', this.#vocabulary);
    this.trainedLength = llama.call('llama_model_n_ctx_train', address);
    this.cutsSequences =
      !llama.call('llama_model_is_recurrent', address) && !llama.call('llama_model_is_hybrid', address);
  }

  /** Loads a GGUF file; of one in several parts, the first is named. */
  static async load(path: string, { gpu, gpuLayers = 'all' }: LlamaModelOptions = {}): Promise<LlamaModel> {
    const llama = await loadLlama(gpu).catch((error: Error) => {
      throw fieldError('backend', error.message, { cause: error });
    });
    const parameters = { ...llama.modelDefaults, n_gpu_layers: gpuLayers === 'all' ? -1 : gpuLayers };
    llama.takeErrors();
    const address = await llama.callAsync('llama_model_load_from_file', unpackedPath(path), parameters);
    if (address === null) throw fieldError('source', `llama.cpp can't load the file: ${llama.takeErrors()}`);
    return new LlamaModel(llama, address);
  }

  /** @throws Error after the release */
  get address(): Address {
    if (this.#address === 0n) throw new Error('model: already released');
    return this.#address;
  }

  outputSize(ranks: boolean): number {
    return ranks
      ? this.llama.call('llama_model_n_cls_out', this.address)
      : this.llama.call('llama_model_n_embd_out', this.address);
  }

  /** Encodes a text; special tokens that are spelled out in it become their ids. */
  encode(text: string, { frame = false }: { frame?: boolean } = {}): number[] {
    const bytes = utf8.encode(text);
    const tokenize = (): number =>
      this.llama.call(
        'llama_tokenize',
        this.#vocabularyAddress(),
        bytes,
        bytes.length,
        this.#ids,
        this.#ids.length,
        frame,
        true,
      );
    let count = tokenize();
    if (count < 0) {
      this.#ids = new Int32Array(-count);
      count = tokenize();
    }
    return Array.from(this.#ids.subarray(0, count));
  }

  bytesOf(token: number): Uint8Array {
    if (!(token >= 0 && token < this.vocabularySize)) return new Uint8Array();
    const piece = (buffer: Buffer): number =>
      this.llama.call(
        'llama_token_to_piece',
        this.#vocabularyAddress(),
        token,
        buffer,
        buffer.length,
        0,
        true,
      );
    const size = piece(this.#piece);
    if (size >= 0) return Uint8Array.from(this.#piece.subarray(0, size));
    const large = Buffer.alloc(-size);
    return Uint8Array.from(large.subarray(0, piece(large)));
  }

  isEnd(token: number): boolean {
    return this.llama.call('llama_vocab_is_eog', this.#vocabularyAddress(), token);
  }

  /** Call it after the contexts are released. @throws Error the second time */
  release(): void {
    const { address } = this;
    this.#address = 0n;
    this.llama.call('llama_model_free', address);
  }

  #vocabularyAddress(): Address {
    return this.address && this.#vocabulary;
  }
}
