import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { orElse } from '../errors.ts';

/** Paths of a folder's entries; empty for a missing folder. */
export function pathsIn(folder: string): string[] {
  return orElse(() => readdirSync(folder), []).map((name) => join(folder, name));
}
