import { existsSync, readdirSync } from 'node:fs';
import { join, posix } from 'node:path';
import { explainFiles } from './explain-files.ts';
import { fieldError, type InferenceError } from '../errors.ts';
import type { Dtype, FileTree } from '../contracts/files.ts';
import { describeValue } from '../core/text/quote.ts';

/** Dtype → exporters' suffix of a graph's name, in the order of preference of `auto`. */
const suffixes = {
  fp32: [''],
  fp16: ['_fp16'],
  q8: ['_quantized', '.int8'],
  q4: ['_q4'],
  q4f16: ['_q4f16'],
} as const;

type StoredDtype = keyof typeof suffixes;

/** All dtypes except `auto`, the default, which selects the first available one. */
export const storedDtypes = Object.keys(suffixes) as readonly StoredDtype[];

/** All values of the setting `dtype`. */
export const dtypes = ['auto', ...storedDtypes] as const;

/** Files on this disk. */
export function localFiles(path: string): FileTree {
  return {
    name: path,
    has: (file) => existsSync(join(path, file)),
    list: (folder) => (existsSync(join(path, folder)) ? readdirSync(join(path, folder)) : []),
  };
}

export function findGraph(
  files: FileTree,
  stems: readonly string[],
  dtype: Dtype = 'auto',
): string | undefined {
  const wanted = dtype === 'auto' ? storedDtypes : [dtype];
  return wanted
    .flatMap((one) => stems.flatMap((stem) => graphNames(stem, one)))
    .find((path) => files.has(path));
}

export function needGraph(files: FileTree, stems: readonly string[], dtype?: Dtype): string {
  const found = findGraph(files, stems, dtype);
  if (found !== undefined) return found;
  throw missingGraph(files, stems, dtype);
}

/** Reports the available dtypes of a graph, or where it was searched for. */
export function missingGraph(
  files: FileTree,
  stems: readonly string[],
  dtype: Dtype = 'auto',
): InferenceError {
  const names = stems.map((stem) => `${stem}.onnx`).join(', ');
  const present = storedDtypes.filter((one) => findGraph(files, stems, one) !== undefined);
  const [param, reason] =
    present.length > 0
      ? ['dtype', `${files.name} has weights in ${present.join(', ')}, not in ${dtype}`]
      : ['source', `none of ${names} exists in ${files.name}, in any dtype${whatElse(files)}`];
  return fieldError(param, reason);
}

/** The files found instead of a graph. */
function whatElse(files: FileTree): string {
  const found = explainFiles(files.list(''), `${files.name.replaceAll('"', '')}/`);
  return found === undefined ? '' : `; it has ${found}`;
}

/** All graphs of a folder, with any name. */
export function graphsIn(files: FileTree, folder: string): readonly string[] {
  const graphs = files.list(folder).filter((name) => name.endsWith('.onnx'));
  return graphs.map((name) => posix.join(folder, name));
}

/** Possible file names of a graph. */
export function graphNames(stem: string, dtype: Dtype = 'auto'): readonly string[] {
  const wanted = dtype === 'auto' ? storedDtypes : [dtype];
  return wanted.flatMap((one) => suffixes[one].map((suffix) => `${stem}${suffix}.onnx`));
}

export function weightFiles(files: FileTree, graph: string): readonly string[] {
  return weightFileNames(graph).filter((path) => files.has(path));
}

const maxWeightFiles = 16;

/** Names of such files: exporters use several schemes. */
export function weightFileNames(graph: string): readonly string[] {
  const { dir, name } = posix.parse(graph);
  const numbered = Array.from({ length: maxWeightFiles }, (_, index) => `${graph}_data_${index + 1}`);
  const beside = [`${name}.data`, 'weights.pb'].map((file) => posix.join(dir, file));
  return [`${graph}_data`, `${graph}.data`, ...beside, ...numbered];
}

/** Validates the name of a dtype. */
export function assertDtype(dtype: string): asserts dtype is Dtype {
  if (dtype === 'auto' || (storedDtypes as readonly string[]).includes(dtype)) return;
  throw fieldError('dtype', `expected one of auto, ${storedDtypes.join(', ')}, got ${describeValue(dtype)}`);
}
