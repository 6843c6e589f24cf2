import { mkdtemp, readdir, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Session } from '../contracts/graph.ts';
import { InferenceError } from '../errors.ts';
import { chooseRuntime, librarySetting } from './choose-runtime.ts';
import { deviceFault } from './explain-device.ts';
import { disableTelemetry } from './disable-telemetry.ts';
import { knowsDevice } from './native/append-device.ts';
import { createNativeSession } from './native/create-native-session.ts';
import { loadApi } from './native/load-api.ts';
import type { OnnxSessionOptions } from './session-options.ts';
import { doublingModel } from './trial-run.ts';

/** The file name that the runtime assumes for a model from bytes, in the folder of its weights. */
const assumedFile = 'virtual_model.onnx';

/**
 * Lets the runtime read weights through symbolic links, as in the Hugging Face cache, for a model given as bytes. The
 * runtime rejects weights outside the model's folder, and resolves links first. It makes one exception: if the model's
 * own file is a link, weights may be next to its target.
 */
async function withWeightsFolder<T>(
  folder: string | undefined,
  load: (folder: string | undefined) => Promise<T>,
): Promise<T> {
  if (folder === undefined) return load(folder);
  const whole = await realpath(folder);
  const targets = new Map<string, string>();
  for (const name of await readdir(folder)) {
    const target = await realpath(join(folder, name)).catch(() => undefined);
    if (target !== undefined) targets.set(name, target);
  }
  const elsewhere = [...targets.values()].find((target) => dirname(target) !== whole);
  if (elsewhere === undefined) return load(folder);
  const linked = await mkdtemp(join(tmpdir(), 'slashv1-weights-'));
  try {
    for (const [name, target] of targets) await symlink(target, join(linked, name));
    await symlink(elsewhere, join(linked, assumedFile));
    return await load(linked);
  } finally {
    await rm(linked, { recursive: true, force: true });
  }
}

export type { OnnxSessionOptions, RuntimeName } from './session-options.ts';

/**
 * Loads an ONNX model in this process, with the runtime of `chooseRuntime`. Depending on the runtime, loading and
 * running block the calling thread, so a service does this in a worker process.
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

/** @throws InferenceError if the device can't run any graph */
async function tryDevice(create: CreateSession, device: NonNullable<OnnxSessionOptions['device']>) {
  const session = await create(doublingModel, { device, threads: 1 }).catch(async (error: unknown) => {
    throw deviceFault(device, error, create === createNativeSession ? await loadApi() : undefined);
  });
  await session.release();
}
