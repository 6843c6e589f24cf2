import { catalogue, estimateMemoryBytes, type CatalogueEntry } from '../../folder/catalogue.ts';
import { defineCommand, exitCode, type ExitCode } from '../command.ts';
import { formatAge, formatBytes, formatCount, renderTable } from '../format.ts';
import type { Terminal } from '../terminal.ts';
import { UsageError, hubOptionTable, readHubOptions } from '../options.ts';
import { readCache, type CacheContents } from './cached-models.ts';

export const command = defineCommand({
  name: 'models list',
  summary: 'Lists the downloaded models, or the catalogue.',
  description: ['The last use is the access time of the files; some file systems record only the download.'],
  options: {
    catalogue: ['', 'List the well-known models that have a short name.'],
    json: ['', 'Print JSON.'],
    'cache-dir': hubOptionTable['cache-dir'],
  },
  examples: {
    'slashv1 models list': 'the models on this disk',
    'slashv1 models list --catalogue': 'models with a short name',
    "slashv1 models list --json | jq '.models[].source'": 'for other programs',
  },
  async run({ catalogue: wantsCatalogue, json, ...values }, operands, terminal) {
    if (operands.length > 0) throw new UsageError(`Expected only options, got ${operands[0]}.`);
    if (wantsCatalogue) return listCatalogue(json === true, terminal);
    const { cacheFolder } = readHubOptions(values);
    const contents = await readCache(cacheFolder);
    if (json) terminal.output.write(`${JSON.stringify({ cacheFolder, ...contents }, null, 2)}\n`);
    else showCache(cacheFolder, contents, terminal);
    return exitCode.success;
  },
});

function showCache(folder: string, { models, unfinished }: CacheContents, { output }: Terminal): void {
  const now = new Date();
  const rows = models.map(({ source, revision, sizeBytes, lastUsed }) => [
    source,
    revision,
    formatBytes(sizeBytes),
    lastUsed ? formatAge(lastUsed, now) : '',
  ]);
  const columns = ['model', 'revision', { right: 'size' }, 'last use'];
  if (rows.length > 0) output.write(`${renderTable(columns, rows, output.style.dim)}\n\n`);
  const total = models.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const count = models.length === 1 ? '1 model' : `${models.length} models`;
  output.write(
    models.length > 0 ? `${count}, ${formatBytes(total)}, in ${folder}\n` : `No models in ${folder}\n`,
  );
  for (const download of unfinished)
    output.write(`${formatBytes(download.sizeBytes)} of an unfinished download in ${download.folder}\n`);
}

function listCatalogue(json: boolean, { output }: Terminal): ExitCode {
  const entries: readonly [string, CatalogueEntry][] = Object.entries(catalogue);
  if (json) {
    const models = entries.map(([id, entry]) => ({ id, ...entry, memoryBytes: estimateMemoryBytes(entry) }));
    output.write(`${JSON.stringify({ models }, null, 2)}\n`);
    return exitCode.success;
  }
  const rows = entries
    .map(([id, entry]) => [
      id,
      entry.category,
      formatCount(entry.parameters),
      entry.dtype ?? 'auto',
      formatBytes(estimateMemoryBytes(entry)),
      entry.license,
      entry.source,
    ])
    .sort((a, b) => (a[1]! < b[1]! ? -1 : Number(a[1]! > b[1]!)));
  const [parameters, memory] = [{ right: 'parameters' }, { right: 'memory' }];
  const columns = ['name', 'category', parameters, 'dtype', memory, 'license', 'source'];
  output.write(`${renderTable(columns, rows, output.style.dim)}\n`);
  return exitCode.success;
}
