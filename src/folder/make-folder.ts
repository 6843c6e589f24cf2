import { existsSync } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { dirname } from 'node:path';

/** As `mkdir` with `recursive`, which never ends where the system makes no folders, as below `/proc`. */
export async function makeFolder(path: string): Promise<void> {
  const isThere = (): boolean => existsSync(`${path}/.`);
  if (isThere()) return;
  if (dirname(path) !== path) await makeFolder(dirname(path));
  await mkdir(path).catch(async (error: unknown) => {
    if (isThere()) return;
    // Says of a file that it is no folder.
    if (existsSync(path)) await readdir(path);
    throw error;
  });
}
