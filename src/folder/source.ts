import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundledModelNames } from './bundled-models.ts';
import { findCatalogueEntry } from './catalogue.ts';
import { genaiConfigFile } from './genai-config.ts';
import type { Dtype } from '../contracts/files.ts';
import { explainPath } from './explain-files.ts';
import { sourceError } from './model-files.ts';
import { orThrow } from '../errors.ts';
import { quote } from '../core/text/quote.ts';
import { unpackedPath } from '../runtime/unpacked-path.ts';

/** Every model folder except Piper's has one of them; the second is diffusers' layout. */
const mainFiles = ['config.json', 'model_index.json', genaiConfigFile];

export type RemoteSource =
  | {
      readonly kind: 'hub';
      /** `org/name` */
      readonly id: string;
      /** A branch, a tag or a commit. */
      readonly revision: string;
      /** The single required file with its parts; default: the files of its category. */
      readonly file?: string | undefined;
      /** The dtype recommended by the catalogue. */
      readonly dtype?: Dtype | undefined;
    }
  /** `base` ends with a slash. */
  | { readonly kind: 'url'; readonly base: string };

export type ModelSource = { readonly kind: 'local' } | RemoteSource;

/**
 * Parses the source of a model. In this order: the name of a bundled model; an existing path; an http or https URL of a
 * folder; a name in the catalogue; `org/name` or `org/name@revision` on Hugging Face, or one GGUF file there,
 * `org/name/file.gguf`. Anything else is treated as a path.
 */
export function parseSource(source: string, category?: string): ModelSource {
  if (bundledModelNames.includes(source) || existsSync(source)) return { kind: 'local' };
  if (/^https?:\/\//.test(source)) return { kind: 'url', base: parseBase(source) };
  const entry = findCatalogueEntry(source);
  if (entry && category !== undefined && entry.category !== category)
    throw sourceError(`${quote(source)} is a model for ${entry.category}, not for ${category}`);
  const [, id, revision = 'main'] = hubId.exec(entry?.source ?? source) ?? [];
  if (id !== undefined && !isFile(source)) return { kind: 'hub', id, revision, dtype: entry?.dtype };
  const [, owner, version = 'main', file] = hubFile.exec(source) ?? [];
  if (owner !== undefined) return { kind: 'hub', id: owner, revision: version, file };
  return { kind: 'local' };
}

/** Whether it can only be a file path. */
function isFile(source: string): boolean {
  return /\.(?:onnx|gguf|safetensors)$/.test(source);
}

/** A GGUF file of a repository, possibly in a subfolder. */
const hubFile =
  /^((?![^@]*(?:--|\.\.))\w[\w.-]*\/\w[\w.-]*)(?:@(\w[\w.-]*))?\/((?!.*\.\.)\w[\w.-]*(?:\/\w[\w.-]*)*\.gguf)$/;

/**
 * Two names without a leading dot, and an optional revision. Both name folders of the cache: `--` replaces the slash
 * there, and `..` would lead outside.
 */
const hubId = /^((?![^@]*(?:--|\.\.))\w[\w.-]*\/\w[\w.-]*)(?:@((?!.*\.\.)\w[\w.-]*(?:\/\w[\w.-]*)*))?$/;

function parseBase(source: string): string {
  const url = URL.canParse(source) ? new URL(source) : undefined;
  if (url && !url.search && !url.hash && !url.username && !url.password)
    return url.href.endsWith('/') ? url.href : `${url.href}/`;
  throw sourceError(
    'expected the address of a folder without query, fragment and credentials; a token is given as HF_TOKEN',
  );
}

export function locateModel(source: string): string {
  const folder = findFolder(source);
  if (folder !== undefined) return folder;
  const reason = explainPath(source);
  if (reason !== undefined) throw sourceError(reason);
  throw sourceError(
    `expected one of the bundled models (${bundledModelNames.join(', ')}), a folder with a ${mainFiles.slice(0, 2).join(' or ')}, a name in the catalogue, the id of a model on Hugging Face (org/name) or an http address, got ${quote(source)}`,
  );
}

/** `locateModel`, with `undefined` for a missing model. */
export function findFolder(source: string): string | undefined {
  if (bundledModelNames.includes(source)) return unpackedPath(join(bundledFolder(), source));
  const path = unpackedPath(resolve(source));
  if (isVoice(path)) return dirname(path);
  return findMainFile(path) === undefined ? undefined : path;
}

/** Finds the file that identifies a folder as a model. */
export function findMainFile(folder: string): string | undefined {
  const name =
    mainFiles.find((file) => existsSync(join(folder, file))) ??
    (isFolder(folder) ? readdirSync(folder).find((file) => isVoiceConfig(file)) : undefined);
  return name === undefined ? undefined : join(folder, name);
}

/** Whether a path within a model is the config of a Piper voice. */
export function isVoiceConfig(path: string): boolean {
  return /^[^/]+\.onnx\.json$/.test(path);
}

/** Whether a path is the graph of a Piper voice with its config. */
function isVoice(path: string): boolean {
  return path.endsWith('.onnx') && existsSync(path) && existsSync(`${path}.json`);
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function bundledFolder(): string {
  const advice = 'install it with `npm install @slashv1/tiny-models`';
  return orThrow(
    () => dirname(fileURLToPath(import.meta.resolve('@slashv1/tiny-models'))),
    (error) => sourceError(`the bundled models are a package of their own; ${advice}`, error),
  );
}
