import { existsSync } from 'node:fs';
import { InferenceError } from '../../errors.ts';
import { listSources, RepositoryCache } from '../../hub/model-cache.ts';
import { defineCommand, exitCode } from '../command.ts';
import { formatBytes } from '../format.ts';
import { UsageError, hubOptionTable, readHubOptions } from '../options.ts';
import { cachedName, diskUse, notCached } from './cached-models.ts';

export const command = defineCommand({
  name: 'models rm',
  operands: '<model>…',
  summary: 'Removes downloaded models, with all their revisions and unfinished downloads.',
  description: [
    'Name a model as `slashv1 models list` shows it, or by its name in the catalogue. Programs that share the cache lose the model, too.',
  ],
  options: {
    yes: ['', "Don't ask first.", 'y'],
    'cache-dir': hubOptionTable['cache-dir'],
  },
  examples: {
    'slashv1 models rm whisper-base': 'asks, then removes it',
    'slashv1 models rm onnx-community/Qwen3-0.6B-ONNX --yes': "doesn't ask",
  },
  async run({ yes, ...values }, names, terminal) {
    if (names.length === 0)
      throw new UsageError('Expected the name of a model; slashv1 models list shows them.');
    const { cacheFolder } = readHubOptions(values);
    const found = new Map<string, RepositoryCache>();
    for (const name of names) {
      const source = cachedName(name);
      found.set(source, await findCache(name, source, cacheFolder));
    }
    const caches = [...found.values()];
    const size = formatBytes(caches.reduce((sum, cache) => sum + diskUse(cache.folder), 0));
    const which = [...found.keys()].join(', ');
    if (!yes && !terminal.isInteractive)
      throw new UsageError('Expected --yes, since this is not a terminal.');
    if (!yes) {
      const answer = (await terminal.readLine(`Remove ${which} (${size})? [y/N] `)) ?? '';
      if (!/^y(?:es)?$/i.test(answer.trim())) {
        terminal.messages.write('Nothing was removed.\n');
        return exitCode.failure;
      }
    }
    for (const cache of caches) await cache.remove();
    terminal.messages.write(`Removed ${which}, ${size}.\n`);
    return exitCode.success;
  },
});

/** @throws InferenceError if it doesn't exist, or is being downloaded */
async function findCache(name: string, source: string, cacheFolder: string): Promise<RepositoryCache> {
  const cache = new RepositoryCache(cacheFolder, source);
  if (!existsSync(cache.folder)) {
    throw notCached(name, { source, cacheFolder, known: await listSources(cacheFolder) });
  }
  const [downloader] = await cache.downloaders();
  if (downloader === undefined) return cache;
  throw new InferenceError(
    'invalid_request',
    `Process ${downloader} is downloading ${source}. Stop it, or wait for its end, before the model is removed.`,
  );
}
