import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { createContentHasher, type ContentHash } from './hub/content-hash.ts';
import { readFileList } from './hub/file-list.ts';
import { sourceError } from './model-files.ts';
import { findFolder } from './source.ts';

/** How the files of a model compare with their hashes. */
export interface Verification {
  /** Files that were compared; 0 where nobody has noted what the model should be, as for a folder of one's own. */
  readonly checked: number;
  /** Those with other content. */
  readonly damaged: readonly string[];
}

/**
 * Compares the files of a model with the hashes that its package or the hub has for them. It reads them all.
 *
 * @param source a bundled name, or the folder of a model, in the hub's cache for instance
 */
export async function verifyFiles(source: string): Promise<Verification> {
  const folder = findFolder(source);
  const hashes = folder === undefined ? [] : await hashesOf(folder);
  const damaged: string[] = [];
  let checked = 0;
  for (const [path, hash] of hashes) {
    const found = await hashOf(join(folder!, path), hash.algorithm);
    if (found === undefined) continue;
    checked += 1;
    if (found !== hash.hex) damaged.push(path);
  }
  return { checked, damaged };
}

/**
 * As `verifyFiles`, for a model that is to be loaded: a graph with flipped bits may run and give wrong answers.
 *
 * @throws InferenceError `invalid_request` naming the files with other content
 */
export async function assertIntact(source: string): Promise<void> {
  const { damaged } = await verifyFiles(source);
  if (damaged.length === 0) return;
  const files = damaged.join(', ');
  throw sourceError(
    `${files} of ${source} ${damaged.length === 1 ? "isn't what it" : "aren't what they"} should be; remove the model and get it again`,
  );
}

/** Of the files that the package of bundled models lists, or that the hub has listed for a commit. */
async function hashesOf(folder: string): Promise<readonly (readonly [string, ContentHash])[]> {
  const bundled = await readFile(join(folder, '../hashes.json'), 'utf8').catch(() => undefined);
  if (bundled !== undefined) {
    const hashes = (JSON.parse(bundled) as Record<string, Record<string, string>>)[basename(folder)] ?? {};
    return Object.entries(hashes).map(([path, hex]) => [path, { algorithm: 'sha256', hex }]);
  }
  const listed = await readFileList(join(dirname(dirname(folder)), 'trees', `${basename(folder)}.json`));
  return (listed ?? []).flatMap(({ path, hash }) => (hash ? [[path, hash] as const] : []));
}

/** @returns `undefined` for a file that isn't there */
async function hashOf(path: string, algorithm: ContentHash['algorithm']): Promise<string | undefined> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) return undefined;
  const hasher = createContentHasher(algorithm, found.size);
  for await (const chunk of createReadStream(path, { highWaterMark: 2 ** 20 }))
    hasher.update(chunk as Buffer);
  return hasher.hex();
}
