import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { orElse } from '../errors.ts';

/** Paths of what is in a folder, none of a folder that isn't there. */
export function pathsIn(folder: string): string[] {
  return orElse(() => readdirSync(folder), []).map((name) => join(folder, name));
}
