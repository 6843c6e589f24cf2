import type { Category } from './categories/registry.ts';
import { categories } from './categories/registry.ts';
import { assertNames } from './core/assert-names.ts';
import { fieldError } from './errors.ts';
import {
  obtainFiles,
  type FilesRequest,
  type ObtainedModel,
  type ObtainOptions,
} from './models/hub/obtain-model.ts';
import { describeValue } from './core/text/quote.ts';

/** A model to obtain, as `createInference` takes it. */
export type ModelRequest = Omit<FilesRequest, 'files' | 'category'> & {
  readonly category: Category | (string & {});
  /** Default: those of the category. */
  readonly files?: FilesRequest['files'] | undefined;
};

/**
 * Sees to it that the files of a model are on this disk, complete and checked: those of its category and dtype, and no
 * others. A model that isn't remote is left as it is.
 *
 * @throws InferenceError with the param `source`, `dtype` or `category`: `invalid_request` when there is no such model,
 * it isn't open to the caller, or it isn't cached and the network may not be used; `worker_failed` when the download
 * fails
 *
 * @example
 * ```ts
 * const { source } = await obtainModel({ source: 'HuggingFaceTB/SmolLM2-360M-Instruct', category: 'chat', dtype: 'q4' });
 * ```
 */
export async function obtainModel(request: ModelRequest, options?: ObtainOptions): Promise<ObtainedModel> {
  assertNames('obtainModel', request, ['source', 'category', 'dtype', 'hub', 'files']);
  if (options) assertNames('obtainModel', options, ['onProgress', 'onWarning', 'signal', 'retry']);
  const files = request.files ?? categories.get(request.category)?.files;
  if (files) return obtainFiles({ ...request, files }, options);
  const names = [...categories.keys()].join(', ');
  throw fieldError('category', `expected one of ${names}, got ${describeValue(request.category)}`);
}
