import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { InferenceError, orThrow, sentence } from './errors.ts';

const withoutPackage =
  "slashv1 is a part of a bundle, and its workers run a file of the package: keep the package beside the bundle, in node_modules, or choose isolation: 'inline'";

/**
 * The module of worker processes. A bundler copies this code into another file and leaves that module behind: then it is that
 * of the package in `node_modules`.
 */
export function workerFile(): URL {
  if (import.meta.url.endsWith('/src/worker-file.js')) return new URL('./worker.js', import.meta.url);
  const manifest = orThrow(
    () => createRequire(import.meta.url).resolve('slashv1/package.json'),
    (cause) => new InferenceError('internal', sentence(withoutPackage), { cause }),
  );
  return new URL('dist/src/worker.js', pathToFileURL(manifest));
}
