import { createRequire } from 'node:module';
import { quote } from '../core/text/quote.ts';
import { fieldError } from '../errors.ts';
import type { RuntimeName } from './session-options.ts';
import { tryNativeRuntime } from './trial-run.ts';

/** The way to the runtime that sessions of this process take. */
export interface RuntimeChoice {
  readonly name: RuntimeName;
  /** Version of onnxruntime. */
  readonly version: string;
  /** Reason for this choice; a sentence without its full stop. */
  readonly reason: string;
}

let choice: Promise<RuntimeChoice> | undefined;

/**
 * Chooses between the runtime's C API and `onnxruntime-node`'s binding, once in a process: the native one where a trial
 * run works. The environment variable `SLASHV1_RUNTIME` (`native` or `onnxruntime-node`) decides it instead.
 *
 * @throws InferenceError `invalid_request` when the variable has another value, or asks for what doesn't work here
 *
 * @example
 * ```ts
 * const { name, version, reason } = await chooseRuntime(); // 'native', '1.30.0', 'a trial run gave the right results'
 * ```
 */
export function chooseRuntime(): Promise<RuntimeChoice> {
  choice ??= choose(process.env['SLASHV1_RUNTIME']);
  return choice;
}

/** The choice, where this process has made one. */
export async function chosenRuntime(): Promise<RuntimeChoice | undefined> {
  return choice?.catch(() => undefined);
}

/** @internal */
export async function choose(
  wanted: string | undefined,
  tryNative: () => Promise<string> = tryNativeRuntime,
): Promise<RuntimeChoice> {
  if (wanted === 'onnxruntime-node') return binding('SLASHV1_RUNTIME asks for it');
  if (wanted && wanted !== 'native') {
    throw fieldError('SLASHV1_RUNTIME', `expected native or onnxruntime-node, got ${quote(wanted)}`);
  }
  try {
    const version = await tryNative();
    return { name: 'native', version, reason: 'a trial run gave the right results' };
  } catch (error) {
    const reason = `the native runtime doesn't work here: ${error instanceof Error ? error.message : String(error)}`;
    if (wanted) throw fieldError('SLASHV1_RUNTIME', reason, { cause: error });
    return binding(reason);
  }
}

function binding(reason: string): RuntimeChoice {
  const manifest = createRequire(import.meta.url)('onnxruntime-node/package.json') as { version: string };
  return { name: 'onnxruntime-node', version: manifest.version, reason };
}
