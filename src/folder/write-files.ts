import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, writeFile } from 'node:fs/promises';
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

/** Other processes see the old text or the new one, never a part of it. */
export async function replaceFile(path: string, text: string): Promise<void> {
  await makeFolder(dirname(path));
  const draft = `${path}.${randomUUID()}.tmp`;
  await writeFile(draft, text);
  await rename(draft, path);
}
