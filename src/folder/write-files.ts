import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Like `mkdir` with `recursive`, which never ends on file systems without folder creation, such as `/proc`. */
export async function makeFolder(path: string): Promise<void> {
  const isThere = (): boolean => existsSync(`${path}/.`);
  if (isThere()) return;
  if (dirname(path) !== path) await makeFolder(dirname(path));
  await mkdir(path).catch(async (error: unknown) => {
    if (isThere()) return;
    // For an existing file this throws ENOTDIR.
    if (existsSync(path)) await readdir(path);
    throw error;
  });
}

/** Atomic: other processes see either the old or the new text. */
export async function replaceFile(path: string, text: string): Promise<void> {
  await makeFolder(dirname(path));
  const draft = `${path}.${randomUUID()}.tmp`;
  await writeFile(draft, text);
  await rename(draft, path);
}
