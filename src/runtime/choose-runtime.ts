import { createRequire } from 'node:module';
import { quote } from '../core/text/quote.ts';
import { fieldError, InferenceError, messageOf } from '../errors.ts';
import type { RuntimeName } from './session-options.ts';
import { chooseLibrary, findLibrary, resolveLibrary } from './native/runtime-library.ts';
import { registerPlugins, type Plugin } from './native/plugins.ts';
import { tryNativeRuntime } from './trial-run.ts';

/** The runtime for the sessions of this process. */
export interface RuntimeChoice {
  readonly name: RuntimeName;
  readonly version: string;
  /** Reason for the choice, as a sentence without a full stop. */
  readonly reason: string;
}

let choice: Promise<RuntimeChoice> | undefined;

/**
 * Chooses between the runtime's C API and `onnxruntime-node`'s binding, once per process: the native one if a trial run
 * works. The environment variable `SLASHV1_RUNTIME` (`native` or `onnxruntime-node`) overrides it. There is no fallback
 * for a library from a setting.
 */
export function chooseRuntime(): Promise<RuntimeChoice> {
  choice ??= choose(process.env['SLASHV1_RUNTIME']);
  return choice;
}

/** Makes the sessions of this process use a different ONNX Runtime library, which is loaded and tested immediately. */
export async function useLibrary(library: string, setting = 'backend.library'): Promise<void> {
  const path = resolveLibrary(library, setting);
  if (await chosenRuntime()) {
    const { path: loaded } = findLibrary();
    if (loaded === path) return;
    const reason = `expected the library that this process has loaded, ${loaded}, got ${path}; with isolation: "process" each model has its own`;
    throw fieldError(setting, reason);
  }
  chooseLibrary({ path, setting });
  choice = undefined;
  await chooseRuntime().catch((error: unknown) => {
    chooseLibrary(undefined);
    choice = undefined;
    throw error;
  });
}

/** Registers plugins with the runtime of this process. */
export async function usePlugins(plugins: readonly Plugin[], setting = 'backend.plugins'): Promise<void> {
  const { name, reason } = await chooseRuntime();
  if (name !== 'native') throw fieldError(setting, `expected the native runtime, got ${name}: ${reason}`);
  await registerPlugins(plugins, setting);
}

export async function chosenRuntime(): Promise<RuntimeChoice | undefined> {
  return choice?.catch(() => undefined);
}

/** @internal */
export async function choose(
  wanted: string | undefined,
  tryNative: () => Promise<string> = tryNativeRuntime,
): Promise<RuntimeChoice> {
  if (wanted && wanted !== 'native' && wanted !== 'onnxruntime-node')
    throw fieldError('SLASHV1_RUNTIME', `expected native or onnxruntime-node, got ${quote(wanted)}`);
  const setting = librarySetting();
  if (wanted === 'onnxruntime-node') {
    if (setting === undefined) return binding('SLASHV1_RUNTIME asks for it');
    throw fieldError(setting, 'expected the native runtime, SLASHV1_RUNTIME asks for onnxruntime-node');
  }
  try {
    const version = await tryNative();
    const reason = 'a trial run gave the right results';
    return { name: 'native', version, reason: setting ? `${setting} asks for its library` : reason };
  } catch (error) {
    const message = messageOf(error);
    if (setting) throw fieldError(setting, message, { cause: error });
    const reason = `the native runtime doesn't work here: ${message}`;
    if (wanted) throw fieldError('SLASHV1_RUNTIME', reason, { cause: error });
    return binding(reason);
  }
}

/** The setting that selected the library of this process; `undefined` if no setting did. */
export function librarySetting(): string | undefined {
  try {
    return findLibrary().setting;
  } catch (error) {
    if (InferenceError.isInstance(error)) throw error;
    return undefined;
  }
}

function binding(reason: string): RuntimeChoice {
  const manifest = createRequire(import.meta.url)('onnxruntime-node/package.json') as { version: string };
  return { name: 'onnxruntime-node', version: manifest.version, reason };
}
