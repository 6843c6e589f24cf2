import { existsSync, readdirSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { parseClassNames, toClassNames } from '../../../../core/vision/class-names.ts';
import { fieldError, orThrow } from '../../../../errors.ts';
import type { Dtype, Json } from '../../../../contracts/files.ts';
import { localFiles } from '../../../../folder/graph-files.ts';
import { singleOrOnlyGraph, defaultGraph, sourceError } from '../../../../folder/model-files.ts';
import { readChangeTime, readJson } from '../../../../folder/model-folder.ts';
import { readOnnxFile } from '../../../../runtime/onnx-file.ts';
import { bundledModelNames } from '../../../../folder/bundled-models.ts';
import { findMainFile, locateModel } from '../../../../folder/source.ts';

interface DetectorFolderOptions {
  readonly classNames?: string | readonly string[] | undefined;
  readonly dtype?: Dtype | undefined;
  readonly hasGraphs?: boolean | undefined;
}

export type DetectorFolder = Awaited<ReturnType<typeof openDetectorFolder>>;

export async function openDetectorFolder(
  source: string,
  { classNames, dtype, hasGraphs = true }: DetectorFolderOptions = {},
) {
  const path = locateSource(source);
  const graph = hasGraphs ? locateGraph(path, dtype) : join(path, defaultGraph);
  const beside = dirname(graph);
  const folder = basename(beside) === 'onnx' ? dirname(beside) : beside;
  const metadata: ReadonlyMap<string, string> = hasGraphs
    ? orThrow(
        () => readOnnxFile(graph).metadata,
        (error) => sourceError(error.message, error),
      )
    : new Map();
  const config = await readJson(folder, 'config.json', {});
  const preprocessor = await readJson(folder, 'preprocessor_config.json', {});
  return {
    /** Path of the graph; on the remote machine for remote models. */
    graph,
    /** Class id → name; `undefined` if no file has the names. */
    classNames: await readClassNames({ folder, config, metadata, classNames }),
    config,
    preprocessor,
    /** The exporter's metadata in the graph, such as `stride` and `imgsz`. */
    metadata,
    /** Unix time in seconds of the config, else of the graph, else of the folder. */
    created: await readChangeTime(findMainFile(folder) ?? (hasGraphs ? graph : path)),
  };
}

function locateSource(source: string): string {
  const isBundled = bundledModelNames.includes(source);
  const path = isBundled ? locateModel(source) : resolve(source);
  if (!existsSync(path))
    throw sourceError(
      `expected a bundled model, a folder, an .onnx file, a name in the catalogue, the id of a model on Hugging Face (org/name) or an http address, found no ${path}`,
    );
  return path;
}

function locateGraph(path: string, dtype: Dtype | undefined): string {
  if (statSync(path).isDirectory()) return join(path, singleOrOnlyGraph(localFiles(path), dtype));
  if (dtype === undefined || dtype === 'auto') return path;
  throw fieldError('dtype', 'an .onnx file has its own');
}

interface NameSources {
  readonly folder: string;
  readonly config: Json;
  readonly metadata: ReadonlyMap<string, string>;
  readonly classNames: string | readonly string[] | undefined;
}

async function readClassNames(sources: NameSources): Promise<readonly string[] | undefined> {
  const { folder, config, metadata, classNames } = sources;
  if (typeof classNames === 'object') return classNames;
  if (classNames !== undefined) return readNamesFile(resolve(classNames));
  const labels = config['id2label'];
  if (typeof labels === 'object' && labels !== null)
    return toClassNames(Object.entries(labels).map(([id, name]) => [Number(id), String(name)]));
  const names = parseClassNames(metadata.get('names') ?? '');
  if (names.length > 0) return names;
  const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.names')) : [];
  return files.length === 1 ? readNamesFile(join(folder, files[0]!)) : undefined;
}

async function readNamesFile(path: string): Promise<readonly string[]> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw fieldError('classNames', `${path} can't be read`, { cause: error });
  });
  return text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
