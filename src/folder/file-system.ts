import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, statSync, type Stats } from 'node:fs';
import { mkdir, readdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join, posix, sep } from 'node:path';

/** All files in a folder and links to files, by path; broken links and missing folders are skipped. */
export function statsIn(folder: string): readonly { readonly path: string; readonly stats: Stats }[] {
  const paths = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [];
  return paths.sort().flatMap((path) => {
    const stats = statSync(join(folder, path), { throwIfNoEntry: false });
    return stats?.isFile() ? [{ path: path.replaceAll(sep, posix.sep), stats }] : [];
  });
}

export function filesIn(folder: string): readonly { readonly path: string; readonly sizeBytes: number }[] {
  return statsIn(folder).map(({ path, stats }) => ({ path, sizeBytes: stats.size }));
}

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
