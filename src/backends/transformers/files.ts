import { posix } from 'node:path';
import type { Dtype, FileTree, ModelFiles } from '../../contracts/files.ts';
import { findGraph, graphsIn, storedDtypes } from '../../folder/graph-files.ts';
import { missingGraph } from '../../folder/graph-files.ts';

/** Graphs that the merged graph contains. */
const containedGraphs = ['decoder_model', 'decoder_with_past_model'];
const mergedGraph = 'decoder_model_merged';

/** The package's names of its architectures' graphs. */
const knownStems = [
  'model',
  'encoder_model',
  mergedGraph,
  'text_model',
  'vision_model',
  'embed_tokens',
  'vision_encoder',
  'decoder_postnet_and_vocoder',
  'text_encoder',
  'latent_denoiser',
  'voice_decoder',
];

/** The folder of a model's graphs, and each graph's dtype. */
export interface StoredGraphs {
  readonly folder: '' | 'onnx';
  /** Name without the dtype's suffix → dtype. */
  readonly dtypes: Readonly<Record<string, Exclude<Dtype, 'auto'>>>;
}

/** Finds the graphs of a model, each in the requested dtype or else in the first available one. */
export function findStoredGraphs(files: FileTree, dtype: Dtype = 'auto'): StoredGraphs {
  const folder = graphsIn(files, 'onnx').length > 0 ? 'onnx' : '';
  const stems = stemsIn(files, folder);
  const found = stems.map((stem) => [stem, dtypeOf(files, posix.join(folder, stem), dtype)] as const);
  const hasWanted = dtype === 'auto' || found.some(([, stored]) => stored === dtype);
  if (found.length === 0 || !hasWanted) throw missingGraph(files, paths(folder, stems), dtype);
  return { folder, dtypes: Object.fromEntries(found) };
}

/** The files of any model that the package runs. */
export const transformersFiles: ModelFiles = {
  small: [
    '*.json',
    '*.txt',
    '*.model',
    'chat_template.jinja',
    'voices/*.bin',
    'vocoder/*.json',
    'vocoder/onnx/*',
  ],
  stems: paths('onnx', knownStems),
  graphs(files, dtype) {
    const { folder, dtypes } = findStoredGraphs(files, dtype);
    return Object.entries(dtypes).map(([stem, stored]) =>
      findGraph(files, [posix.join(folder, stem)], stored)!,
    );
  },
};

function stemsIn(files: FileTree, folder: string): readonly string[] {
  const names = graphsIn(files, folder).map((path) => posix.basename(path, '.onnx'));
  const stems = new Set(
    names.map((name) => name.replace(/_(?:fp16|quantized|q4|q4f16|int8|uint8|bnb4)$/, '')),
  );
  if (stems.has(mergedGraph)) for (const contained of containedGraphs) stems.delete(contained);
  return [...stems].filter((stem) => findGraph(files, [posix.join(folder, stem)]) !== undefined);
}

function dtypeOf(files: FileTree, stem: string, wanted: Dtype): Exclude<Dtype, 'auto'> {
  const order = wanted === 'auto' ? storedDtypes : [wanted, ...storedDtypes];
  return order.find((one) => findGraph(files, [stem], one) !== undefined)!;
}

function paths(folder: string, stems: readonly string[]): readonly string[] {
  return (stems.length > 0 ? stems : knownStems).map((stem) => posix.join(folder, stem));
}
