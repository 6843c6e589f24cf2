import { fieldError } from '../../errors.ts';
import { CacheFull } from '../cache-full.ts';
import type { LlamaModel } from './llama-model.ts';
import type { ContextParameters } from './layouts.ts';
import type { Address } from './load-library.ts';

export interface LlamaContextOptions {
  /** Total tokens of all sequences. */
  readonly tokens: number;
  readonly batchSize: number;
  /** Maximum sequences, with ids from 0; at most 256. */
  readonly sequences: number;
  readonly threads: number;
  readonly further?: Partial<ContextParameters> | undefined;
}

/** `llama_decode` found no slot for the tokens. */
const noPlace = 1;

/** Sequences of one model with their key-value cache. Runs must not overlap. */
export class LlamaContext {
  readonly model: LlamaModel;
  readonly options: LlamaContextOptions;
  /** The batch of the next run, one entry per token. */
  readonly tokens: Int32Array;
  readonly positions: Int32Array;
  readonly sequences: Int32Array;
  /** 1 for tokens with outputs. */
  readonly outputs: Int8Array;
  #address: Address;
  /** Null for models without memory. */
  readonly #memory: Address | null;
  readonly #batch: Record<string, unknown>;
  #logits: { readonly address: Address; readonly values: Float32Array } | undefined;

  /** @throws InferenceError `invalid_request` with llama.cpp's reason, often insufficient memory */
  constructor(model: LlamaModel, options: LlamaContextOptions) {
    const { llama } = model;
    const { tokens, batchSize, sequences, threads, further } = options;
    this.model = model;
    this.options = options;
    this.tokens = new Int32Array(batchSize);
    this.positions = new Int32Array(batchSize);
    this.sequences = new Int32Array(batchSize);
    this.outputs = new Int8Array(batchSize);
    const first = llama.addressOf(this.sequences);
    this.#batch = {
      n_tokens: 0,
      token: this.tokens,
      embd: null,
      pos: this.positions,
      n_seq_id: new Int32Array(batchSize).fill(1),
      seq_id: BigUint64Array.from({ length: batchSize }, (_, index) => first + BigInt(4 * index)),
      logits: this.outputs,
    };
    llama.takeErrors();
    const address = llama.call('llama_init_from_model', model.address, {
      ...llama.contextDefaults,
      n_ctx: tokens,
      n_batch: batchSize,
      n_ubatch: batchSize,
      n_seq_max: sequences,
      n_threads: threads,
      n_threads_batch: threads,
      // Sequences share prefixes, and take as much of the memory as they need.
      kv_unified: true,
      ...further,
    });
    if (address === null) throw fieldError('source', `llama.cpp can't run the model: ${llama.takeErrors()}`);
    this.#address = address;
    this.#memory = llama.call('llama_get_memory', address);
  }

  /** @throws Error after the release */
  get address(): Address {
    if (this.#address === 0n) throw new Error('context: already released');
    return this.#address;
  }

  /** Computes the first `count` tokens of the batch, on a separate thread. */
  async run(count: number): Promise<void> {
    const { batchSize, tokens: capacity } = this.options;
    if (!(count >= 1 && count <= batchSize))
      throw new RangeError(`count: expected 1 to ${batchSize}, got ${count}`);
    const { llama, vocabularySize } = this.model;
    for (let index = 0; index < count; index++) {
      const token = this.tokens[index]!;
      // The library doesn't check ids, and would read beyond its table.
      if (!(token >= 0 && token < vocabularySize))
        throw new RangeError(`tokens: expected ids below ${vocabularySize}, got ${token}`);
    }
    this.#batch['n_tokens'] = count;
    const status = await llama.callAsync('llama_decode', this.address, this.#batch);
    if (status === 0) return;
    const reason = llama.takeErrors();
    if (status === noPlace) throw new CacheFull(`the cache holds ${capacity} tokens, and all are in use`);
    throw new Error(`llama.cpp: the run failed with ${status}: ${reason}`);
  }

  /** @returns `[wanted × vocabularySize]` of the last run, in batch order; valid until the next run */
  logits(wanted: number): Float32Array {
    const { llama, vocabularySize } = this.model;
    const address = llama.call('llama_get_logits', this.address)!;
    const length = wanted * vocabularySize;
    // Creating a view costs more than a step's bookkeeping, and the library's memory rarely moves.
    if (this.#logits?.address !== address || this.#logits.values.length < length)
      this.#logits = { address, values: llama.floatsAt(address, length) };
    const { values } = this.#logits;
    return values.length === length ? values : values.subarray(0, length);
  }

  /** A copy of a sequence's embedding from the last run. */
  pooled(sequence: number, length: number): Float32Array {
    const { llama } = this.model;
    const address = llama.call('llama_get_embeddings_seq', this.address, sequence);
    if (address === null) throw new Error('llama.cpp: the model gives no vector for a sequence');
    return llama.floatsAt(address, length).slice();
  }

  /** Shares a prefix with a different sequence; costs no memory. */
  copy(from: number, to: number, length: number): void {
    this.model.llama.call('llama_memory_seq_cp', this.#memory, from, to, 0, length);
  }

  /** @param from the first position to remove; default: all */
  clear(sequence: number, from = -1): void {
    this.model.llama.call('llama_memory_seq_rm', this.#memory, sequence, from, -1);
  }

  /** Size of `save`'s result in bytes. */
  stateBytes(sequence: number): number {
    return this.model.llama.call('llama_state_seq_get_size', this.address, sequence);
  }

  /** Copies the keys and values of a sequence, on a separate thread. */
  async save(sequence: number): Promise<Uint8Array> {
    const state = Buffer.allocUnsafeSlow(this.stateBytes(sequence));
    const { llama } = this.model;
    const { length } = state;
    const written = await llama.callAsync('llama_state_seq_get_data', this.address, state, length, sequence);
    if (written !== length) throw new Error(`llama.cpp: saved ${written} of ${length} bytes of a sequence`);
    return state;
  }

  /** Restores a saved sequence, on a separate thread. */
  async restore(sequence: number, state: Uint8Array): Promise<void> {
    const { llama } = this.model;
    const { length } = state;
    const read = await llama.callAsync('llama_state_seq_set_data', this.address, state, length, sequence);
    if (read !== length) throw new CacheFull(llama.takeErrors());
  }

  clearAll(): void {
    if (this.#memory !== null) this.model.llama.call('llama_memory_clear', this.#memory, false);
  }

  /** Only without a run in progress. @throws Error if called twice */
  release(): void {
    const { address } = this;
    this.#address = 0n;
    this.model.llama.call('llama_free', address);
  }
}
