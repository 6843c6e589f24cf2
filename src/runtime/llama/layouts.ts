import type { Koffi } from '../native/load-koffi.ts';

const pointer = 'void *';

/**
 * The structures that are passed by value, member by member with the default that the library gives it: a library with
 * other defaults has another layout.
 *
 * Source: `llama.h` of llama.cpp v0.5.0, which node-llama-cpp 3.22.1 ships.
 *
 * @see https://github.com/ggml-org/llama.cpp/blob/v0.5.0/include/llama.h
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
} as const satisfies Record<string, readonly (readonly [string, string, number | boolean | null])[]>;

type Members = typeof members;

/** `llama_model_params`, as the library fills it in. */
export type ModelParameters = { [Member in Members['model'][number] as Member[0]]: unknown };
/** `llama_context_params`, as the library fills it in. */
export type ContextParameters = { [Member in Members['context'][number] as Member[0]]: unknown };

/** Tells koffi of the structures, and calls them by these names in signatures. */
export function defineLayouts(koffi: Koffi) {
  const typesOf = (list: readonly (readonly [string, string, unknown])[]) =>
    Object.fromEntries(list.map(([name, type]) => [name, type]));
  return {
    model: koffi.struct(typesOf(members.model)),
    context: koffi.struct(typesOf(members.context)),
    batch: koffi.struct({
      n_tokens: 'int32',
      token: pointer,
      embd: pointer,
      pos: pointer,
      n_seq_id: pointer,
      seq_id: pointer,
      logits: pointer,
    }),
  };
}

/**
 * Compares what the library fills in with the defaults of the layout that it is expected to have.
 *
 * @throws Error naming the first member that differs
 */
export function assertLayout(kind: keyof Members, found: Readonly<Record<string, unknown>>): void {
  const differing = members[kind].find(([name, , value]) => found[name] !== value);
  if (!differing) return;
  const [name, , value] = differing;
  throw new Error(
    `llama.cpp: expected ${kind}.${name} to be ${String(value)}, got ${String(found[name])}; this version of node-llama-cpp is not supported`,
  );
}
