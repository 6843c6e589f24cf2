import { existsSync, readFileSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { FileEvidence, Json, ModelPlace } from '../contracts/files.ts';
import { bundledModelNames } from './bundled-models.ts';
import { filesIn } from './file-system.ts';
import { genaiConfigFile, toHubConfig } from './genai-config.ts';
import { readGgufFile, categoryOfGguf, firstTokenizerKey } from './gguf/gguf-folder.ts';
import { isGguf } from './gguf/gguf-source.ts';
import { parseJson } from './json.ts';
import { findFolder, locateModel, parseSource } from './source.ts';

export function openPlace(source: string): ModelPlace {
  if (isGgufFile(source)) {
    return {
      kind: 'file',
      folder: dirname(source),
      files: [{ path: basename(source), sizeBytes: statSync(source).size }],
      readText: async () => undefined,
      category: categoryOfGguf(readGgufFile(source, { until: firstTokenizerKey })),
    };
  }
  const folder = locateModel(source);
  return {
    kind: bundledModelNames.includes(source) ? 'bundled' : 'folder',
    folder,
    files: filesIn(folder),
    readText: (path) => readFile(join(folder, path), 'utf8').catch(() => undefined),
  };
}

export function isGgufFile(source: string): boolean {
  return isGguf(source) && existsSync(source);
}

/** The files that describe a model; `undefined` for a remote one. */
export function evidenceAtHand(source: string): FileEvidence | undefined {
  const folder = parseSource(source).kind === 'local' ? findFolder(source) : undefined;
  return folder === undefined ? undefined : evidenceIn(folder);
}

/** The files that describe a model to load; empty for a model without a config, such as a GGUF file. */
export function readEvidence(source: string): FileEvidence {
  // A detector may be a single graph, with or without a folder.
  if (findFolder(source) === undefined && existsSync(source)) return { files: [], config: {} };
  return evidenceIn(locateModel(source));
}

function evidenceIn(folder: string): FileEvidence {
  return { files: filesIn(folder), config: readConfigIn(folder) };
}

/** The config of a folder in Hugging Face's format; empty if missing, as for models of several graphs. */
export function readConfigIn(folder: string): Json {
  return readHere(folder, 'config.json') ?? toHubConfig(readHere(folder, genaiConfigFile)) ?? {};
}

function readHere(folder: string, name: string): Json | undefined {
  const path = join(folder, name);
  return existsSync(path) ? parseJson(readFileSync(path, 'utf8')) : undefined;
}
