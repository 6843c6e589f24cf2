import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import {
  createContentHash,
  type ContentHash,
  readVerified,
  stateOf,
  writeVerified,
} from './verified-files.ts';
import { readFileList } from './file-list.ts';
import { sourceError } from '../folder/model-files.ts';
import { findFolder } from '../folder/source.ts';
import type { Verification } from '../core/verification.ts';

/**
 * Compares the files of a model with the hashes from its package or the hub: all of them, or for a downloaded model
 * only the files that have changed since they were last verified.
 */
export async function verifyFiles(
  source: string,
  { verify = 'always' }: { readonly verify?: Exclude<Verification, 'never'> } = {},
) {
  const folder = findFolder(source);
  const { hashes, isDownloaded } = folder === undefined ? noHashes : await hashesOf(folder);
  const noted = isDownloaded ? await readVerified(folder!) : {};
  const verified: Record<string, string> = {};
  /** Files with different content. */
  const damaged: string[] = [];
  /** Files with a known hash: none in a custom folder. */
  let checked = 0;
  for (const [path, hash] of hashes) {
    const file = join(folder!, path);
    // Before the content, so that concurrent writes count as changes.
    const state = await stateOf(file, hash);
    if (state === undefined) continue;
    checked += 1;
    const isKnown = verify === 'changed' && noted[path] === state;
    if (isKnown || (await hashOf(file, hash.algorithm)) === hash.hex) verified[path] = state;
    else damaged.push(path);
  }
  if (isDownloaded && JSON.stringify(verified) !== JSON.stringify(noted))
    await writeVerified(folder!, verified);
  return { checked, damaged };
}

/** Like `verifyFiles`, before loading a model: a graph with flipped bits may run and give wrong answers. */
export async function assertIntact(source: string, verify: Verification = 'changed'): Promise<void> {
  if (verify === 'never') return;
  const { damaged } = await verifyFiles(source, { verify });
  if (damaged.length === 0) return;
  const files = damaged.join(', ');
  throw sourceError(
    `${files} of ${source} ${damaged.length === 1 ? "isn't what it" : "aren't what they"} should be; remove the model and get it again`,
  );
}

const noHashes = { hashes: [], isDownloaded: false };

type Hashes = readonly (readonly [path: string, hash: ContentHash])[];

/** Hashes from the package of bundled models, or from the hub's listing of a commit. */
async function hashesOf(
  folder: string,
): Promise<{ readonly hashes: Hashes; readonly isDownloaded: boolean }> {
  const bundled = await readFile(join(folder, '../hashes.json'), 'utf8').catch(() => undefined);
  if (bundled !== undefined) {
    const known = (JSON.parse(bundled) as Record<string, Record<string, string>>)[basename(folder)] ?? {};
    const hashes = Object.entries(known).map(([path, hex]) => [path, { algorithm: 'sha256', hex }] as const);
    return { hashes, isDownloaded: false };
  }
  const listed = await readFileList(join(dirname(dirname(folder)), 'trees', `${basename(folder)}.json`));
  const hashes = listed?.flatMap(({ path, hash }) => (hash ? [[path, hash] as const] : [])) ?? [];
  return { hashes, isDownloaded: listed !== undefined };
}

async function hashOf(path: string, algorithm: ContentHash['algorithm']): Promise<string> {
  const hash = createContentHash(algorithm, (await stat(path)).size);
  for await (const chunk of createReadStream(path, { highWaterMark: 2 ** 20 })) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
