import { availableParallelism } from 'node:os';
import type { BindableSession } from '../../contracts/graph.ts';
import { deviceFault } from '../device-fault.ts';
import { toConfigurationEntries, type OnnxSessionOptions } from '../session-options.ts';
import { appendDevice } from './append-device.ts';
import { Handle } from './handle.ts';
import { loadApi, type Api } from './load-api.ts';
import { toNativeSession } from './native-session.ts';
import { queueOf } from './run-queue.ts';
import { SessionCore } from './session-core.ts';

/**
 * Loads an ONNX model with the C API of onnxruntime, on another thread.
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
  try {
    return toNativeSession(await createCore(api, model, options));
  } finally {
    queue.leave();
  }
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
    return new SessionCore(api, out[0]!, options.device ?? 'cpu');
  } finally {
    nativeOptions.release();
  }
}

/** Bytes of models that are being loaded, which nothing else may refer to. */
const loading = new Set<Uint8Array>();

async function createFromBytes(
  api: Api,
  model: Uint8Array,
  shared: readonly [bigint, BigUint64Array],
): Promise<void> {
  if (model.byteLength === 0) throw new Error('model: expected bytes, got none');
  loading.add(model);
  try {
    await api.callAsync('CreateSessionFromArray', api.environment, model, model.byteLength, ...shared);
  } finally {
    loading.delete(model);
  }
}

function configure(api: Api, options: bigint, settings: OnnxSessionOptions): void {
  const { device = 'cpu', threads = Math.max(1, availableParallelism() - 1), providerOptions } = settings;
  api.call('SetIntraOpNumThreads', options, threads);
  api.call('SetInterOpNumThreads', options, 1);
  api.call('SetSessionLogSeverityLevel', options, silent);
  api.call('SetSessionGraphOptimizationLevel', options, allOptimizations);
  for (const [key, value] of Object.entries(toConfigurationEntries(settings)))
    api.call('AddSessionConfigEntry', options, key, value);
  try {
    appendDevice(api, options, device, providerOptions);
  } catch (error) {
    throw deviceFault(device, error, api);
  }
}

/** `ORT_LOGGING_LEVEL_FATAL` */
const silent = 4;
/** `ORT_ENABLE_ALL` */
const allOptimizations = 99;
