import { existsSync } from 'node:fs';

/**
 * Where the system finds a file or folder of an Electron app. Electron shows its archive, `app.asar`, to JavaScript as a
 * folder; native code sees one file, and beside it in `app.asar.unpacked` what the packager left out of it.
 */
export function unpackedPath(path: string): string {
  const outside = path.replace(/\.asar(?=[\\/])/, '.asar.unpacked');
  return outside !== path && existsSync(outside) ? outside : path;
}
