import { InferenceError } from '../errors.ts';
import { chooseRuntime, librarySetting } from './choose-runtime.ts';
import type { Session } from '../contracts/graph.ts';
import { deviceFault } from './device-fault.ts';
import { disableTelemetry } from './disable-telemetry.ts';
import { knowsDevice } from './native/append-device.ts';
import { createNativeSession } from './native/create-native-session.ts';
import { loadApi } from './native/load-api.ts';
import type { OnnxSessionOptions } from './session-options.ts';
import { doublingModel } from './trial-run.ts';
import { withWeightsFolder } from './weights-folder.ts';

export type { OnnxSessionOptions, RuntimeName } from './session-options.ts';

/**
 * Loads an ONNX model in this process, in the runtime that `chooseRuntime` chose. Depending on the runtime, loading and running
 * block the calling thread for as long as they take, so a service does this in a worker process.
 * @param model path of the file, or its bytes
 */
export async function createOnnxSession(
  model: string | Uint8Array,
  options: OnnxSessionOptions = {},
): Promise<Session> {
  const { device = 'cpu' } = options;
  const create = await findCreator(options);
  try {
    return await withWeightsFolder(options.weightsFolder, (weightsFolder) =>
      create(model, { ...options, weightsFolder }),
    );
  } catch (error) {
    if (device === 'cpu' || InferenceError.isInstance(error)) throw error;
    await tryDevice(create, device);
    throw error;
  }
}

type CreateSession = (model: string | Uint8Array, options: OnnxSessionOptions) => Promise<Session>;

async function findCreator({ runtime, device = 'cpu' }: OnnxSessionOptions): Promise<CreateSession> {
  const isNative = knowsDevice(device) || librarySetting() !== undefined;
  const name = runtime ?? (isNative ? (await chooseRuntime()).name : 'onnxruntime-node');
  if (name === 'native') return createNativeSession;
  disableTelemetry();
  return (await import('./onnxruntime-node.ts')).createBindingSession;
}

/** @throws InferenceError when the device runs no graph at all */
async function tryDevice(
  create: CreateSession,
  device: NonNullable<OnnxSessionOptions['device']>,
): Promise<void> {
  let session: Session;
  try {
    session = await create(doublingModel, { device, threads: 1 });
  } catch (error) {
    throw deviceFault(device, error, create === createNativeSession ? await loadApi() : undefined);
  }
  await session.release();
}
