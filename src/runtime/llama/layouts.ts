import type { Koffi } from '../native/load-koffi.ts';
import { llamaRange } from './find-binaries.ts';

const pointer = 'void *';

// Source: https://github.com/ggml-org/llama.cpp/blob/v0.5.0/include/llama.h
/**
 * The structures passed by value, member by member with the library's default value: different values indicate a
 * different layout. A batch is for one token; its `token` is compared with the given address. Source: `llama.h` of
 * llama.cpp v0.5.0 in node-llama-cpp 3.22; v0.4.0 in 3.21.1 has the same layouts.
 */
const members = {
  model: [
    ['devices', pointer, null],
    ['tensor_buft_overrides', pointer, null],
    ['n_gpu_layers', 'int32', -1],
    ['split_mode', 'int32', 1],
    ['load_mode', 'int32', -1],
    ['lazy_mode', 'int32', 1],
    ['main_gpu', 'int32', 0],
    ['tensor_split', pointer, null],
    ['progress_callback', pointer, null],
    ['progress_callback_user_data', pointer, null],
    ['kv_overrides', pointer, null],
    ['vocab_only', 'bool', false],
    ['check_tensors', 'bool', false],
    ['use_extra_bufts', 'bool', true],
    ['no_host', 'bool', false],
    ['no_alloc', 'bool', false],
    ['load_mtp', 'bool', false],
  ],
  context: [
    ['n_ctx', 'uint32', 512],
    ['n_batch', 'uint32', 2048],
    ['n_ubatch', 'uint32', 512],
    ['n_seq_max', 'uint32', 1],
    ['n_rs_seq', 'uint32', 0],
    ['n_outputs_max', 'uint32', 0],
    ['n_outputs_max_per_seq', 'uint32', 1],
    ['n_threads', 'int32', 4],
    ['n_threads_batch', 'int32', 4],
    ['ctx_type', 'int32', 0],
    ['rope_scaling_type', 'int32', -1],
    ['pooling_type', 'int32', -1],
    ['attention_type', 'int32', -1],
    ['flash_attn_type', 'int32', -1],
    ['rope_freq_base', 'float', 0],
    ['rope_freq_scale', 'float', 0],
    ['yarn_ext_factor', 'float', -1],
    ['yarn_attn_factor', 'float', -1],
    ['yarn_beta_fast', 'float', -1],
    ['yarn_beta_slow', 'float', -1],
    ['yarn_orig_ctx', 'uint32', 0],
    ['defrag_thold', 'float', -1],
    ['cb_eval', pointer, null],
    ['cb_eval_user_data', pointer, null],
    ['type_k', 'int32', 1],
    ['type_v', 'int32', 1],
    ['abort_callback', pointer, null],
    ['abort_callback_data', pointer, null],
    ['embeddings', 'bool', false],
    ['offload_kqv', 'bool', true],
    ['no_perf', 'bool', true],
    ['op_offload', 'bool', true],
    ['swa_full', 'bool', true],
    ['kv_unified', 'bool', false],
    ['samplers', pointer, null],
    ['n_samplers', 'size_t', 0],
    ['ctx_other', pointer, null],
  ],
  batch: [
    ['n_tokens', 'int32', 1],
    ['token', pointer, null],
    ['embd', pointer, null],
    ['pos', pointer, null],
    ['n_seq_id', pointer, null],
    ['seq_id', pointer, null],
    ['logits', pointer, null],
  ],
} as const satisfies Record<string, readonly (readonly [string, string, number | boolean | null])[]>;

type Members = typeof members;
type Structure<Kind extends keyof Members> = { [Member in Members[Kind][number] as Member[0]]: unknown };

/** `llama_model_params`, filled in by the library. */
export type ModelParameters = Structure<'model'>;
/** `llama_context_params`, filled in by the library. */
export type ContextParameters = Structure<'context'>;
/** `llama_batch`, filled in by the library for one token. */
export type Batch = Structure<'batch'>;

/** Registers the structures with koffi, for use by name in signatures. */
export function defineLayouts(koffi: Koffi) {
  const define = (list: readonly (readonly [string, string, unknown])[]) =>
    koffi.struct(Object.fromEntries(list.map(([name, type]) => [name, type])));
  return { model: define(members.model), context: define(members.context), batch: define(members.batch) };
}

/** Compares the library's default values with the expected layout. */
export function assertLayout<Kind extends keyof Members>(kind: Kind, found: Structure<Kind>): void {
  const values: Readonly<Record<string, unknown>> = found;
  const differing = members[kind].find(([name, , value]) => values[name] !== value);
  if (!differing) return;
  const [name, , value] = differing;
  throw unsupported(`${kind}.${name} to be ${String(value)}, got ${String(values[name])}`);
}

const pattern = 0xa5;
const alignment = 8;

/** Compares the size of the library's output with the layout, in a larger buffer so that no foreign memory is overwritten. */
export function assertSize(kind: keyof Members, bytes: number, write: (memory: Uint8Array) => void): void {
  const memory = new Uint8Array(16 * bytes).fill(pattern);
  write(memory);
  const last = memory.findLastIndex((byte) => byte !== pattern);
  const found = Math.ceil((last + 1) / alignment) * alignment;
  if (found !== bytes) throw unsupported(`${kind} to have ${bytes} bytes, got ${found}`);
}

function unsupported(expected: string): Error {
  return new Error(`llama.cpp: expected ${expected}; slashv1 runs with node-llama-cpp ${llamaRange}`);
}
