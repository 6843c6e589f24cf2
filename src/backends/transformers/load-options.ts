import { availableParallelism } from 'node:os';
import type { PretrainedModelOptions, PreTrainedModel } from '@huggingface/transformers';
import { fieldError, InferenceError } from '../../errors.ts';
import type { ModelSpec } from '../../contracts/model.ts';
import { localFiles } from '../../folder/graph-files.ts';
import { toConfigurationEntries } from '../../runtime/session-options.ts';
import { findStoredGraphs } from './files.ts';

/** Options for loading the models of a folder. */
export type LoadOptions = PretrainedModelOptions & { readonly dtype: Readonly<Record<string, string>> };

/** Says in the words of the package what the settings of a model say. */
export function toLoadOptions(
  path: string,
  {
    dtype,
    device = 'cpu',
    threads = Math.max(1, availableParallelism() - 1),
  }: Pick<ModelSpec, 'dtype' | 'device' | 'threads'>,
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

export async function loadPart<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if (InferenceError.isInstance(error)) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw fieldError(
      'source',
      `@huggingface/transformers can't load the model: ${reason.replace(/\.$/, '')}`,
      {
        cause: error,
      },
    );
  }
}

/** Frees models, one after the other. */
export function disposerOf(...models: readonly (PreTrainedModel | undefined)[]): () => Promise<void> {
  return async () => {
    for (const model of models) await model?.dispose();
  };
}
