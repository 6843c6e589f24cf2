import type { BackendDescriptor } from '../contracts/model.ts';
import { backendOf, backends } from '../backends/registry.ts';
import type { Category } from '../categories/registry.ts';
import { architecturesOf } from './choose-architecture.ts';
import { assertNames } from '../core/assert-names.ts';
import {
  obtainFiles,
  type FilesRequest,
  type ObtainedModel,
  type ObtainOptions,
} from '../hub/obtain-model.ts';
import type { FileEvidence, ModelFiles } from '../contracts/files.ts';
import { filesOf } from './recognize-model.ts';

/** A model to obtain, as `createInference` takes it. */
export type ModelRequest = Omit<FilesRequest, 'files' | 'category'> & {
  readonly category: Category | (string & {});
  /** Default: ONNX Runtime, on this machine. */
  readonly backend?: BackendDescriptor | undefined;
};

/**
 * Sees to it that the files of a model are on this disk, complete and checked: those of its architecture and dtype, and
 * no others. A model that isn't remote is left as it is.
 *
 * @throws InferenceError with the param `source`, `dtype`, `category` or `backend`: `invalid_request` when there is no such model, the
 * backend doesn't run it,
 * it isn't open to the caller, or it isn't cached and the network may not be used; `worker_failed` when the download
 * fails
 *
 * @example
 * ```ts
 * const { source } = await obtainModel({ source: 'HuggingFaceTB/SmolLM2-360M-Instruct', category: 'chat', dtype: 'q4' });
 * ```
 */
export async function obtainModel(request: ModelRequest, options?: ObtainOptions): Promise<ObtainedModel> {
  assertNames('obtainModel', request, ['source', 'category', 'dtype', 'hub', 'backend']);
  if (options) assertNames('obtainModel', options, ['onProgress', 'onWarning', 'signal', 'retry']);
  const { source, category, dtype, hub } = request;
  const backend = backendOf(request) ?? backends[0];
  const choose = (evidence: FileEvidence): ModelFiles => filesOf(category, evidence, backend);
  // Without architectures to choose from, no small file has to come before the others.
  const files = architecturesOf(category, backend) ? choose : choose({ files: [], config: {} });
  return obtainFiles({ source, category, dtype, hub, files }, options);
}
