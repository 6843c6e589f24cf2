import { statSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import { fieldError, orElse } from '../../errors.ts';
import { quote } from '../../core/text/quote.ts';
import { unpackedPath } from '../unpacked-path.ts';

/** The ONNX Runtime library for the sessions of this process. */
export interface RuntimeLibrary {
  readonly path: string;
  /** Name of the setting that selected it; `undefined` for the library of `onnxruntime-node`. */
  readonly setting?: string | undefined;
}

const variable = 'SLASHV1_ONNXRUNTIME_LIBRARY';

let chosen: RuntimeLibrary | undefined;

/** Selects the library of this process, before any session exists; `undefined` resets it. */
export function chooseLibrary(library: RuntimeLibrary | undefined): void {
  chosen = library;
}

/**
 * The selected library, else the one from the environment variable `SLASHV1_ONNXRUNTIME_LIBRARY`, else `onnxruntime-node`'s.
 */
export function findLibrary(): RuntimeLibrary {
  if (chosen) return chosen;
  const given = process.env[variable];
  if (given) return { path: resolveLibrary(given, variable), setting: variable };
  const { platform, arch } = process;
  const fileName = shippedNames[platform];
  if (!fileName) throw new Error(`onnxruntime-node has no library for ${platform}`);
  const manifest = createRequire(import.meta.url).resolve('onnxruntime-node/package.json');
  return { path: unpackedPath(join(dirname(manifest), 'bin', 'napi-v6', platform, arch, fileName)) };
}

const shippedNames: Partial<Record<NodeJS.Platform, string>> = {
  darwin: 'libonnxruntime.1.dylib',
  linux: 'libonnxruntime.so.1',
  win32: 'onnxruntime.dll',
};

/** Names of the library in wheels and release archives. */
const libraryName = /^(?:libonnxruntime\.so(?:\.\d+)*|libonnxruntime(?:\.\d+)*\.dylib|onnxruntime\.dll)$/;
/** Folders of the library in a release, a wheel's package, `site-packages` and a virtual environment. */
const places = ['.', 'lib', 'capi', 'onnxruntime/capi', 'Lib/site-packages/onnxruntime/capi'];

/**
 * Finds the library of a setting: a file, or a folder such as an unpacked release of ONNX Runtime, a Python virtual
 * environment, or the `onnxruntime` in its `site-packages`.
 */
export function resolveLibrary(library: string, setting: string): string {
  const path = unpackedPath(resolve(library));
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found)
    throw fieldError(setting, `expected a library of ONNX Runtime, ${quote(library)} doesn't exist`);
  if (!found.isDirectory()) return path;
  const pythons = pathsIn(join(path, 'lib')).filter((each) => basename(each).startsWith('python3'));
  const inPython = pythons.map((each) => join(each, 'site-packages/onnxruntime/capi'));
  for (const folder of [...places.map((place) => join(path, place)), ...inPython]) {
    // If an archive contains several, the shortest name is the link to the rest.
    const [file] = pathsIn(folder)
      .filter((each) => libraryName.test(basename(each)))
      .toSorted((a, b) => a.length - b.length);
    if (file) return file;
  }
  const searched = [...places.slice(0, 4), 'lib/python3*/site-packages/onnxruntime/capi'].join(', ');
  const reason = `expected a folder with a library such as ${shippedNames[process.platform] ?? 'libonnxruntime.so'}, found none in ${quote(library)} (${searched})`;
  throw fieldError(setting, reason);
}

/** Paths of a folder's entries; empty for a missing folder. */
export function pathsIn(folder: string): string[] {
  return orElse(() => readdirSync(folder), []).map((name) => join(folder, name));
}
