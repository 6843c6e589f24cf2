import { readFileSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type * as Package from '@huggingface/transformers';
import { fieldError, orElse, orThrow } from '../../errors.ts';
import { disableTelemetry } from '../../runtime/disable-telemetry.ts';

/** The imported package. */
export type TransformersPackage = typeof Package;

const name = '@huggingface/transformers';
const runtimeName = 'onnxruntime-node';

let loaded: Promise<TransformersPackage> | undefined;

/** Imports `@huggingface/transformers`, restricted to local models: downloads are done by this package. */
export function loadTransformersPackage(): Promise<TransformersPackage> {
  return (loaded ??= importPackage());
}

async function importPackage(): Promise<TransformersPackage> {
  const require = createRequire(import.meta.url);
  assertOneRuntime(require);
  disableTelemetry();
  const transformers = await import('@huggingface/transformers');
  const { env, LogLevel } = transformers;
  env.allowRemoteModels = false;
  env.allowLocalModels = true;
  // A prefix of any path.
  env.localModelPath = '';
  env.useFSCache = false;
  env.logLevel = LogLevel.ERROR;
  return transformers;
}

/** @param require of a module in this package */
export function assertOneRuntime(require: NodeJS.Require): void {
  const advice = `the backend transformers() needs a package of its own; install it with \`npm install ${name}\``;
  const entry = orThrow(
    () => require.resolve(name),
    (cause) => fieldError('backend', advice, { cause }),
  );
  const [ours, theirs] = [require, createRequire(entry)].map(runtimeOf);
  if (ours!.folder === theirs!.folder) return;
  const reason = `${name} brings ${runtimeName} ${theirs!.version}, and slashv1 has ${ours!.version}; install a version of ${name} that depends on ${runtimeName} ${ours!.version}, so that there is one copy`;
  throw fieldError('backend', reason);
}

function runtimeOf(require: NodeJS.Require): { readonly folder: string; readonly version: string } {
  let folder = dirname(realpathSync(require.resolve(runtimeName)));
  for (;;) {
    const read = () => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as object;
    const { name: found, version }: { name?: unknown; version?: unknown } = orElse(read, {});
    if (found === runtimeName) return { folder, version: String(version) };
    const outer = dirname(folder);
    if (outer === folder) throw new Error(`${runtimeName}: expected a package.json above its main file`);
    folder = outer;
  }
}
