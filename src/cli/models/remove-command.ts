import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { InferenceError } from '../../index.ts';
import { removeCachedModel, RepositoryCache } from '../../models/hub/model-cache.ts';
import type { HubSettings } from '../../models/hub/settings.ts';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { formatBytes } from '../format.ts';
import { hubOptionTable, readHubSettings, toHubOptions } from '../hub-options.ts';
import { didYouMean } from '../../core/text/suggest.ts';
import { UsageError } from '../usage-error.ts';
import { cachedName, readCache } from './cached-models.ts';
import { diskUse } from './folder-use.ts';

export const removeCommand = defineCommand({
  name: 'models rm',
  operands: '<model>…',
  summary: 'Removes downloaded models, with all their revisions and unfinished downloads.',
  description: ['A model is called as `slashv1 models list` shows it, or by its name in the catalogue.'],
  options: {
    yes: { type: 'boolean', short: 'y', description: "Don't ask first." },
    'cache-dir': hubOptionTable['cache-dir'],
    endpoint: hubOptionTable.endpoint,
  },
  examples: {
    'slashv1 models rm whisper-base': 'asks, then removes it',
    'slashv1 models rm onnx-community/Qwen3-0.6B-ONNX --yes': "doesn't ask",
  },
  async run({ yes, 'cache-dir': cacheFolder, endpoint }, names, terminal) {
    if (names.length === 0)
      throw new UsageError('Expected the name of a model; slashv1 models list shows them.');
    const settings = readHubSettings(toHubOptions({ 'cache-dir': cacheFolder, endpoint }));
    const { models } = await readCache(settings.cacheFolder);
    const known = [...new Set(models.map(({ source }) => source))];
    const found = names.map((name) => {
      const source = cachedName(name);
      const folder = repositoryFolder(source, settings);
      if (known.includes(source) || existsSync(folder)) return { source, folder };
      throw new InferenceError(
        'model_not_found',
        `${name} is not in ${settings.cacheFolder}.${didYouMean(source, known)}`,
      );
    });
    const folders = found.flatMap(({ source, folder }) => foldersOf(source, folder, models));
    const size = formatBytes(folders.reduce((sum, folder) => sum + diskUse(folder), 0));
    const which = found.map(({ source }) => source).join(', ');
    if (!yes && !terminal.isInteractive) throw new UsageError('Expected --yes where nobody can be asked.');
    if (!yes) {
      const answer = await terminal.ask(`Remove ${which} (${size})? [y/N] `);
      if (!/^y(?:es)?$/i.test(answer.trim())) {
        terminal.messages.write('Nothing was removed.\n');
        return exitCode.failure;
      }
    }
    for (const { source, folder } of found) {
      await removeCachedModel(settings.cacheFolder, source);
      await rm(folder, { recursive: true, force: true });
    }
    terminal.messages.write(`Removed ${which}, ${size}.\n`);
    return exitCode.success;
  },
});

type Cached = Awaited<ReturnType<typeof readCache>>['models'];

/** Models of the same name may come from several hubs. */
function foldersOf(source: string, folder: string, models: Cached): readonly string[] {
  const listed = models
    .filter((model) => model.source === source)
    .map((model) => join(model.folder, '..', '..'));
  return [...new Set([...listed, folder])].filter((one) => existsSync(one));
}

/** Where an unfinished download is, which no list knows by its name. */
function repositoryFolder(source: string, { cacheFolder, endpoint }: HubSettings): string {
  const isAddress = /^https?:/.test(source);
  return new RepositoryCache(cacheFolder, new URL(isAddress ? source : endpoint).host, source).folder;
}
