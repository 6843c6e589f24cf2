import type { BindableSession, Tensor, TensorMap } from '../../contracts/graph.ts';
import { orThrow } from '../../errors.ts';
import { deviceFault } from '../explain-device.ts';
import { toConfigurationEntries, type OnnxSessionOptions, defaultThreads } from '../session-options.ts';
import { appendDevice, openMemory } from './append-device.ts';
import { Handle } from './handle.ts';
import { loadApi, type Api } from './load-api.ts';
import { queueOf } from './run-queue.ts';
import { openSessionCore, type SessionCore } from './session-core.ts';
import { NativeBinding } from './native-binding.ts';
import { NativeTensor, shapeOf, wrapTensor, type NativeTensorParts, readTensor } from './native-tensor.ts';

/** Keeps memory alive that the runtime reads during a run, in case it has no further references. */
const inUse = new Set<unknown>();

/**
 * Runs a session's graph with JavaScript tensors.
 * @param feeds a tensor for every input; extra ones are ignored
 */
async function runGraph(
  { api, inputs, outputNames, session, runOptions }: SessionCore,
  feeds: TensorMap,
  fetches: readonly string[],
  inThisThread: boolean,
): Promise<TensorMap> {
  for (const name of fetches)
    if (!outputNames.has(name)) throw new TypeError(`${name}: the graph has no such output`);
  const names: string[] = [];
  const data: unknown[] = [];
  const values = new BigUint64Array(inputs.length);
  const results = new BigUint64Array(fetches.length);
  inUse.add(data);
  try {
    for (const { name, type } of inputs) {
      const tensor = feeds[name];
      if (!tensor) throw new Error(`${name}: this input is missing`);
      if (tensor.type !== type) throw new TypeError(`${name}: expected ${type}, got ${tensor.type}`);
      values[names.length] = wrapTensor(api, tensor, name);
      names.push(name);
      data.push(tensor.data);
    }
    const fed = [session.address, runOptions.address, names, values, names.length] as const;
    const wanted = [fetches, fetches.length, results] as const;
    if (inThisThread) api.call('Run', ...fed, ...wanted);
    else await api.callAsync('Run', ...fed, ...wanted);
    const read: Record<string, Tensor> = {};
    for (const [index, name] of fetches.entries()) read[name] = readTensor(api, results[index]!, name);
    return read;
  } finally {
    inUse.delete(data);
    for (const value of [...values, ...results]) if (value !== 0n) api.call('ReleaseValue', value);
  }
}

/** A graph in the native runtime; owns its bindings and tensors. Wrappers can spread it. */
function toNativeSession(core: SessionCore): BindableSession {
  const { api, device, inputs, outputs } = core;
  const bindings = new Set<NativeBinding>();
  const tensors = new Set<NativeTensor>();
  let memory: Handle | undefined;
  let isReleased = false;

  /** The runtime's memory must be freed before the session, and bindings of different sessions may still hold some. */
  const freeIfUnused = (): void => {
    if (!isReleased || [...tensors].some(({ data }) => data === undefined)) return;
    isReleased = false;
    memory?.release();
    core.free();
  };
  const keep = (parts: Omit<NativeTensorParts, 'onFree' | 'whenFree'>): NativeTensor => {
    const onFree = (freed: NativeTensor): void => {
      tensors.delete(freed);
      freeIfUnused();
    };
    const tensor = new NativeTensor(api, { ...parts, whenFree: core.whenFree, onFree });
    tensors.add(tensor);
    return tensor;
  };

  return {
    inputs,
    outputs,
    device,
    async run(feeds, fetches = [...core.outputNames], options) {
      return core.run((inThisThread) => runGraph(core, feeds, fetches, inThisThread), options);
    },
    createTensor(tensor) {
      core.assertOpen();
      const { type, dims, data } = tensor;
      return keep({ value: wrapTensor(api, tensor, 'tensor'), type, dims: [...dims], device: 'cpu', data });
    },
    createBinding() {
      core.assertOpen();
      const binding = new NativeBinding({
        core,
        openMemory: () => (memory ??= openMemory(api, device)).address,
        adopt: (value, place) => keep({ value, ...shapeOf(api, value), device: place }),
        onRelease: (released) => bindings.delete(released),
      });
      bindings.add(binding);
      return binding;
    },
    async release() {
      await core.close();
      for (const binding of bindings) binding.free();
      for (const tensor of tensors) if (!tensor.isReleased) tensor.release();
      isReleased = true;
      freeIfUnused();
      await core.idle();
    },
  };
}

/**
 * Loads an ONNX model with onnxruntime's C API, on a separate thread.
 * @param model path of the file, whose external weights are mapped, or its bytes
 */
export async function createNativeSession(
  model: string | Uint8Array,
  options: OnnxSessionOptions = {},
): Promise<BindableSession> {
  const { device = 'cpu' } = options;
  const api = await loadApi();
  const queue = queueOf(device);
  await queue.enter();
  const core = createCore(api, model, options).finally(() => queue.leave());
  return toNativeSession(await core);
}

async function createCore(
  api: Api,
  model: string | Uint8Array,
  options: OnnxSessionOptions,
): Promise<SessionCore> {
  const made = api.create('CreateSessionOptions');
  const nativeOptions = new Handle(api, 'session options', made, 'ReleaseSessionOptions');
  try {
    configure(api, nativeOptions.address, options);
    const out = new BigUint64Array(1);
    const shared = [nativeOptions.address, out] as const;
    await (typeof model === 'string'
      ? api.callAsync('CreateSession', api.environment, model, ...shared)
      : createFromBytes(api, model, shared));
    return openSessionCore(api, out[0]!, options.device ?? 'cpu');
  } finally {
    nativeOptions.release();
  }
}

/** Keeps the bytes of models alive while they are loading. */
const loading = new Set<Uint8Array>();

async function createFromBytes(
  api: Api,
  model: Uint8Array,
  shared: readonly [bigint, BigUint64Array],
): Promise<void> {
  if (model.byteLength === 0) throw new Error('model: expected bytes, got none');
  loading.add(model);
  const made = api.callAsync('CreateSessionFromArray', api.environment, model, model.byteLength, ...shared);
  await made.finally(() => loading.delete(model));
}

function configure(api: Api, options: bigint, settings: OnnxSessionOptions): void {
  const { device = 'cpu', threads = defaultThreads(), providerOptions } = settings;
  api.call('SetIntraOpNumThreads', options, threads);
  api.call('SetInterOpNumThreads', options, 1);
  api.call('SetSessionLogSeverityLevel', options, silent);
  api.call('SetSessionGraphOptimizationLevel', options, allOptimizations);
  for (const [key, value] of Object.entries(toConfigurationEntries(settings)))
    api.call('AddSessionConfigEntry', options, key, value);
  orThrow(
    () => appendDevice(api, options, device, providerOptions),
    (error) => deviceFault(device, error, api),
  );
}

/** `ORT_LOGGING_LEVEL_FATAL` */
const silent = 4;
/** `ORT_ENABLE_ALL` */
const allOptimizations = 99;
