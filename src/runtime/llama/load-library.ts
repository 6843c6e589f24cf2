import { callOnThread, loadKoffi, type Koffi, type NativeFunction } from '../native/load-koffi.ts';
import { findLlamaBinaries, llamaPackage, type LlamaGpu } from './find-binaries.ts';
import {
  assertLayout,
  assertSize,
  defineLayouts,
  type Batch,
  type ContextParameters,
  type ModelParameters,
} from './layouts.ts';
import { orElse } from '../../errors.ts';

/** Handles are addresses. */
export type Address = bigint;
type Argument = Address | number | boolean | string | NodeJS.TypedArray | object | null;

const pointer = 'void *';
const path = 'str';

/** The functions used from `llama.h`: result and arguments. `model`, `context` and `batch` are structures. */
const signatures = {
  llama_backend_init: ['void', []],
  llama_log_set: ['void', ['log', pointer]],
  llama_model_default_params: ['model', []],
  llama_context_default_params: ['context', []],
  llama_model_load_from_file: [pointer, [path, 'model']],
  llama_model_free: ['void', [pointer]],
  llama_model_get_vocab: [pointer, [pointer]],
  llama_model_n_ctx_train: ['int32', [pointer]],
  llama_model_n_embd_out: ['int32', [pointer]],
  llama_model_n_cls_out: ['uint32', [pointer]],
  llama_model_is_recurrent: ['bool', [pointer]],
  llama_model_is_hybrid: ['bool', [pointer]],
  llama_init_from_model: [pointer, [pointer, 'context']],
  llama_free: ['void', [pointer]],
  llama_pooling_type: ['int32', [pointer]],
  llama_get_memory: [pointer, [pointer]],
  llama_memory_clear: ['void', [pointer, 'bool']],
  llama_memory_seq_rm: ['bool', [pointer, 'int32', 'int32', 'int32']],
  llama_memory_seq_cp: ['void', [pointer, 'int32', 'int32', 'int32', 'int32']],
  llama_state_seq_get_size: ['size_t', [pointer, 'int32']],
  llama_state_seq_get_data: ['size_t', [pointer, pointer, 'size_t', 'int32']],
  llama_state_seq_set_data: ['size_t', [pointer, pointer, 'size_t', 'int32']],
  llama_batch_get_one: ['batch', [pointer, 'int32']],
  llama_decode: ['int32', [pointer, 'batch']],
  llama_get_logits: [pointer, [pointer]],
  llama_get_embeddings_seq: [pointer, [pointer, 'int32']],
  llama_vocab_n_tokens: ['int32', [pointer]],
  llama_vocab_is_eog: ['bool', [pointer, 'int32']],
  llama_tokenize: ['int32', [pointer, pointer, 'int32', pointer, 'int32', 'bool', 'bool']],
  llama_token_to_piece: ['int32', [pointer, 'int32', pointer, 'int32', 'int32', 'bool']],
} as const satisfies Record<string, readonly [string, readonly string[]]>;

export type LlamaFunction = keyof typeof signatures;
type StructureFunction =
  'llama_model_default_params' | 'llama_context_default_params' | 'llama_batch_get_one';

export interface Results {
  readonly void: undefined;
  readonly int32: number;
  readonly uint32: number;
  readonly size_t: number;
  readonly bool: boolean;
  /** Null isn't an address. */
  readonly [pointer]: Address | null;
  readonly model: ModelParameters;
  readonly context: ContextParameters;
  readonly batch: Batch;
}
type ResultOf<Name extends LlamaFunction> = Results[(typeof signatures)[Name][0]];

/** llama.cpp, loaded into this process. */
export type LlamaLibrary = ReturnType<typeof openLibrary>;

let loaded: Promise<LlamaLibrary> | undefined;
let loadedFor: LlamaGpu | undefined;
/** koffi unloads a library when its handle is garbage-collected. */
const kept: unknown[] = [];

/** Loads llama.cpp once per process. */
export function loadLlama(gpu: LlamaGpu = 'auto'): Promise<LlamaLibrary> {
  if (loaded && loadedFor !== gpu) {
    return Promise.reject(
      new Error(`this process has loaded llama.cpp for gpu ${loadedFor}, so it can't load it for ${gpu}`),
    );
  }
  loadedFor = gpu;
  loaded ??= loadKoffi().then((koffi) => openLibrary(koffi, gpu));
  return loaded;
}

/** `GGML_LOG_LEVEL_ERROR` and `GGML_LOG_LEVEL_CONT` */
const levels = { error: 4, continued: 5 };
const maxErrors = 8;
/** `GGML_BACKEND_DEVICE_TYPE_GPU` and `GGML_BACKEND_DEVICE_TYPE_IGPU` */
const gpuTypes = [1, 2];

function openLibrary(koffi: Koffi, gpu: LlamaGpu) {
  const binaries = findLlamaBinaries(gpu, (name) => canLoad(koffi, name));
  if (!binaries) {
    const kind = gpu === 'auto' ? 'this machine' : `gpu ${gpu} on this machine`;
    throw new Error(`no binary of llama.cpp for ${kind} is installed: npm install ${llamaPackage}`);
  }
  const [, ggml, library] = [binaries.base, binaries.ggml, binaries.llama].map((file) => koffi.load(file));
  const layouts = defineLayouts(koffi);
  const log = koffi.pointer(koffi.proto('void', ['int', 'str', pointer]));
  kept.push(ggml, library);
  const typeOf = (name: string) => (name === 'log' ? log : (layouts[name as keyof typeof layouts] ?? name));
  const functions = Object.fromEntries(
    Object.entries(signatures).map(([name, [result, types]]) => [
      name,
      library!.func(name, typeOf(result), types.map(typeOf)),
    ]),
  ) as unknown as Record<LlamaFunction, NativeFunction<Argument, unknown>>;

  const errors: string[] = [];
  let level = 0;
  const listener = koffi.register((at: number, text: string) => {
    if (at !== levels.continued) level = at;
    if (level === levels.error && text.trim() !== '') errors.push(text.trim());
    if (errors.length > maxErrors) errors.shift();
  }, log);
  functions.llama_log_set(listener, null);

  const token = new Int32Array(1);
  // On x64, results of this size are written to an address that precedes all arguments.
  if (process.arch === 'x64') {
    const assertWritten = (name: StructureFunction, ...values: Argument[]): void => {
      const [kind, types] = signatures[name];
      const write = library!.func(name, 'void', [pointer, ...types]) as NativeFunction<Argument, unknown>;
      assertSize(kind, koffi.sizeof(layouts[kind]), (memory) => void write(memory, ...values));
    };
    assertWritten('llama_model_default_params');
    assertWritten('llama_context_default_params');
    assertWritten('llama_batch_get_one', token, 1);
  }
  const modelDefaults = functions.llama_model_default_params() as ModelParameters;
  const contextDefaults = functions.llama_context_default_params() as ContextParameters;
  assertLayout('model', modelDefaults);
  assertLayout('context', contextDefaults);
  const batchOfOne = functions.llama_batch_get_one(token, 1) as Batch;
  const isThere = batchOfOne.token === koffi.address(token);
  assertLayout('batch', { ...batchOfOne, token: isThere ? null : batchOfOne.token });
  ggml!.func('ggml_backend_load_all_from_path', 'void', ['str'])(binaries.folder);
  functions.llama_backend_init();
  const findDevice = ggml!.func('ggml_backend_dev_by_type', pointer, ['int']);
  const hasGpu = gpuTypes.some((type) => findDevice(type) !== null);
  if (gpu !== 'auto' && gpu !== 'none' && !hasGpu)
    throw new Error(`llama.cpp finds no device for gpu ${gpu}: ${errors.join('; ') || 'no reason is given'}`);
  return {
    /** The device of the build; `none` also without such hardware. */
    gpu: hasGpu ? binaries.gpu : 'none',
    modelDefaults,
    contextDefaults,
    call: <Name extends LlamaFunction>(name: Name, ...values: Argument[]) =>
      functions[name](...values) as ResultOf<Name>,
    /** Calls a function on a separate thread. The caller must keep array arguments alive until it returns. */
    callAsync: <Name extends LlamaFunction>(name: Name, ...values: Argument[]) =>
      callOnThread(functions[name], values) as Promise<ResultOf<Name>>,
    addressOf: (data: NodeJS.TypedArray): Address => koffi.address(data),
    /** Numbers in the library's memory, while they stay in place. */
    floatsAt: (address: Address, length: number) => new Float32Array(koffi.view(address, 4 * length)),
    /** The errors logged since the last call. */
    takeErrors: () => errors.splice(0).join('; ') || 'no reason is given',
  };
}

function canLoad(koffi: Koffi, name: string): boolean {
  return orElse(() => Boolean(koffi.load(name)), false);
}
