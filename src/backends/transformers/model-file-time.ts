import { stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Unix time in seconds of a model's config file. */
export async function modelFileTime(path: string): Promise<number> {
  return Math.floor((await stat(join(path, 'config.json'))).mtimeMs / 1000);
}
