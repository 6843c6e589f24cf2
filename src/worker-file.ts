import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { InferenceError, orThrow, sentence } from './errors.ts';

const withoutPackage =
  "slashv1 is part of a bundle, but its workers run a file of the package: keep the package in node_modules next to the bundle, or set isolation: 'inline'";

/** The module that worker processes run. If the host's bundler has copied this code without that module, use the package in `node_modules`. */
export function workerFile(): URL {
  const manifest = orThrow(
    () => createRequire(import.meta.url).resolve('slashv1/package.json'),
    (cause) => new InferenceError('internal', sentence(withoutPackage), { cause }),
  );
  const built = new URL('dist/', pathToFileURL(manifest));
  // Bundlers and file tracers find the worker by this expression.
  if (import.meta.url.startsWith(built.href)) return new URL('./worker.js', import.meta.url);
  return new URL('lib/worker.js', built);
}
