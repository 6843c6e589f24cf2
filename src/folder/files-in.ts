import { existsSync, readdirSync, statSync, type Stats } from 'node:fs';
import { join, posix, sep } from 'node:path';

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
