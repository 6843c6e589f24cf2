import { createRequire } from 'node:module';

/** Of this package. */
export function packageVersion(): string {
  const manifest = createRequire(import.meta.url)('slashv1/package.json') as { readonly version: string };
  return manifest.version;
}
