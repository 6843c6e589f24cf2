import { posix } from 'node:path';
import { graphNames, weightFileNames, weightFiles, type Dtype, type FileTree } from '../graph-files.ts';
import type { ModelFiles } from '../model-files.ts';
import { kokoroVoices } from './kokoro-voices.ts';

export interface Choice {
  readonly files: ModelFiles;
  readonly dtype?: Dtype | undefined;
}

/**
 * Chooses the files of a repository that a model needs: the small ones, the graphs of one dtype, their weights.
 *
 * @param name of the model, for messages
 * @throws InferenceError `invalid_request` where a graph is missing or isn't there in that dtype
 */
export function chooseFiles(
  name: string,
  paths: readonly string[],
  { files: { small, graphs }, dtype }: Choice,
): readonly string[] {
  const files = toFileTree(name, paths);
  const patterns = small.map(toPattern);
  const chosen = graphs(files, dtype);
  return [
    ...paths.filter((path) => patterns.some((pattern) => pattern.test(path))),
    ...chosen,
    ...chosen.flatMap((graph) => weightFiles(files, graph)),
  ];
}

/** The files that a model may have, for servers that list none: without the weights of its graphs. */
export function possibleFiles({ files: { small, stems }, dtype }: Choice): readonly string[] {
  return [...small.flatMap(spellOut), ...stems.flatMap((stem) => graphNames(stem, dtype))];
}

/** The files that may hold the weights of the graphs among others. */
export function possibleWeightFiles(
  name: string,
  paths: readonly string[],
  choice: Choice,
): readonly string[] {
  return choice.files.graphs(toFileTree(name, paths), choice.dtype).flatMap(weightFileNames);
}

/** The files of a repository, by their paths. */
export function toFileTree(name: string, paths: readonly string[]): FileTree {
  return {
    name,
    has: (path) => paths.includes(path),
    list: (folder) =>
      paths.filter((path) => posix.dirname(path) === (folder || '.')).map((path) => posix.basename(path)),
  };
}

/** `*` stands for a name without folders, never for one that leads out. */
function toPattern(path: string): RegExp {
  const parts = path.split('*').map((part) => part.replaceAll(/[.]/g, String.raw`\.`));
  return new RegExp(`^${parts.join(String.raw`[\w-][\w.-]*`)}$`);
}

function spellOut(path: string): readonly string[] {
  if (path === 'voices/*.bin') return kokoroVoices.map((voice) => path.replace('*', voice));
  if (path === '*_Pooling/config.json') return ['1_Pooling/config.json'];
  return path.includes('*') ? [] : [path];
}
