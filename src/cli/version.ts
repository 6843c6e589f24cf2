import { createRequire } from 'node:module';

/** The version of this package. */
export function packageVersion(): string {
  const manifest = createRequire(import.meta.url)('slashv1/package.json') as { readonly version: string };
  return manifest.version;
}
