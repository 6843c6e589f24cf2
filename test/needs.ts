import { spawnSync } from 'node:child_process';
import type { TestOptions } from 'vitest';
import { hasLlamaBinaries } from '../src/runtime/llama/find-binaries.ts';

declare module 'vitest' {
  interface TaskMeta {
    /** What this machine lacks for a test; `test/report.ts` prints it. */
    missing?: string;
  }
}

/**
 * Options of a test or suite that not every machine can run.
 *
 * @param missing why this one can't; `undefined` where it can
 */
export function needs(missing: string | undefined): Pick<TestOptions, 'skip' | 'meta'> {
  return missing === undefined ? {} : { skip: true, meta: { missing } };
}

/** @returns why programs of the tests can't be started here; `undefined` where they can */
export function missingProgram(...names: readonly string[]): string | undefined {
  const missing = names.find((name) => spawnSync(name, ['--version']).error !== undefined);
  return missing && `${missing} is not installed`;
}

/** @returns why a test of some systems can't run on this one; `undefined` where it can */
export function otherSystem(...systems: readonly NodeJS.Platform[]): string | undefined {
  return systems.includes(process.platform) ? undefined : `it is a test for ${systems.join(', ')}`;
}

/** Why GGUF files can't be run here. */
export const missingLlama = hasLlamaBinaries() ? undefined : "node-llama-cpp's libraries are not installed";
