import { existsSync } from 'node:fs';

/**
 * The real location of a file or folder of an Electron app. Electron presents its archive, `app.asar`, to JavaScript as
 * a folder; native code sees a single file, and next to it `app.asar.unpacked` with the unpacked files.
 */
export function unpackedPath(path: string): string {
  const outside = path.replace(/\.asar(?=[\\/])/, '.asar.unpacked');
  return outside !== path && existsSync(outside) ? outside : path;
}
