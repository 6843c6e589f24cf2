import type { PretrainedModelOptions, PreTrainedModel, RawImage, Tensor } from '@huggingface/transformers';
import { InferenceError, messageOf } from '../../errors.ts';
import { sourceError } from '../../folder/model-files.ts';
import type { ModelSpec } from '../../contracts/model.ts';
import { localFiles } from '../../folder/graph-files.ts';
import { toConfigurationEntries, defaultThreads } from '../../runtime/session-options.ts';
import { locateModel } from '../../folder/source.ts';
import { findStoredGraphs } from './files.ts';
import { loadTransformersPackage, type TransformersPackage } from './load-package.ts';

/** Options for loading the models of a folder. */
export type LoadOptions = PretrainedModelOptions & { readonly dtype: Readonly<Record<string, string>> };

/** Converts a model's settings to the package's options. */
export function toLoadOptions(
  path: string,
  { dtype, device = 'cpu', threads = defaultThreads() }: Pick<ModelSpec, 'dtype' | 'device' | 'threads'>,
): LoadOptions {
  const { folder, dtypes } = findStoredGraphs(localFiles(path), dtype);
  return {
    local_files_only: true,
    subfolder: folder,
    dtype: dtypes,
    device,
    session_options: {
      intraOpNumThreads: threads,
      interOpNumThreads: 1,
      logSeverityLevel: 4,
      extra: toConfigurationEntries({}),
    },
  } as unknown as LoadOptions;
}

/** A model's folder, and the options for its parts. */
export interface PackageFolder {
  readonly path: string;
  readonly options: LoadOptions;
  readonly transformers: TransformersPackage;
}

/** For parts that aren't models. */
export const localOnly = { local_files_only: true };

/** Opens a model; if the package can't load a part, the source is reported as invalid. */
export async function openFolder<T>(
  spec: ModelSpec,
  open: (folder: PackageFolder) => Promise<T>,
): Promise<T> {
  const path = locateModel(spec.source);
  const transformers = await loadTransformersPackage();
  try {
    return await open({ path, transformers, options: toLoadOptions(path, spec) });
  } catch (error) {
    if (InferenceError.isInstance(error)) throw error;
    throw sourceError(`@huggingface/transformers can't load the model: ${messageOf(error)}`, error);
  }
}

/** Converts a picture, `[height × width × 3]`, to a model's inputs. */
export type ReadPicture = (
  pixels: Uint8Array,
  size: { readonly width: number; readonly height: number },
) => Promise<Readonly<Record<string, Tensor>>>;

/** Loads a model's picture preprocessor. */
export async function loadPictureReader({ path, transformers }: PackageFolder): Promise<ReadPicture> {
  const processor = await transformers.AutoImageProcessor.from_pretrained(path, localOnly);
  const process = processor as unknown as (images: readonly RawImage[]) => ReturnType<ReadPicture>;
  return (pixels, { width, height }) => process([new transformers.RawImage(pixels, width, height, 3)]);
}

/** Frees models, one after the other. */
export function disposerOf(...models: readonly (PreTrainedModel | undefined)[]): () => Promise<void> {
  return async () => {
    for (const model of models) await model?.dispose();
  };
}
