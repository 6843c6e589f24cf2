import type { Dtype, FileTree, ModelFiles } from '../../../../contracts/files.ts';
import { findGraph, graphsIn, missingGraph } from '../../../../folder/graph-files.ts';
import { isOpen } from '../../../../folder/model-files.ts';

/** The first folder with a graph is used. */
export const diffusionFolders = {
  denoiser: ['unet', 'transformer'],
  decoder: ['vae_decoder', 'vae/decoder', 'vae'],
  textEncoder: ['text_encoder'],
  secondTextEncoder: ['text_encoder_2'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

interface DiffusionGraph {
  readonly folder: string;
  /** Path among the files. */
  readonly graph: string;
}

/** `model.onnx` in the component's folder, or else its only graph. */
export function diffusionGraph(files: FileTree, folders: readonly string[], dtype?: Dtype): DiffusionGraph {
  const found = findDiffusionGraph(files, folders, dtype);
  if (found) return found;
  throw missingGraph(files, folders.map(toStem), dtype);
}

function findDiffusionGraph(
  files: FileTree,
  folders: readonly string[],
  dtype?: Dtype,
): DiffusionGraph | undefined {
  for (const folder of folders) {
    const standard = findGraph(files, [toStem(folder)], dtype);
    const candidates = standard === undefined && isOpen(dtype) ? graphsIn(files, folder) : [];
    const graph = standard ?? (candidates.length === 1 ? candidates[0] : undefined);
    if (graph !== undefined) return { folder, graph };
  }
  return undefined;
}

function toStem(folder: string): string {
  return `${folder}/model`;
}

const diffusionParts = Object.values(diffusionFolders).flat();

const clipTokenizerFiles = [
  'tokenizer.json',
  'vocab.json',
  'merges.txt',
  'tokenizer_config.json',
  'special_tokens_map.json',
] as const;

export const diffusionFiles: ModelFiles = {
  small: [
    'model_index.json',
    'scheduler/scheduler_config.json',
    ...['tokenizer', 'tokenizer_2'].flatMap((folder) =>
      clipTokenizerFiles.map((name) => `${folder}/${name}`),
    ),
    ...diffusionParts.map((folder) => `${folder}/config.json`),
  ],
  stems: diffusionParts.map(toStem),
  graphs(files, dtype) {
    const { denoiser, decoder, textEncoder, secondTextEncoder } = diffusionFolders;
    const second = findDiffusionGraph(files, secondTextEncoder) ? [secondTextEncoder] : [];
    return [denoiser, decoder, textEncoder, ...second].map(
      (folders) => diffusionGraph(files, folders, dtype).graph,
    );
  },
};
