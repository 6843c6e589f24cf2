import { backendOf, backends } from '../backends/registry.ts';
import { categoryModels } from '../categories/models.ts';
import type { Category } from '../categories/registry.ts';
import type { Architecture } from '../contracts/architecture.ts';
import type { BackendDefinition } from '../contracts/backend.ts';
import type { BackendDescriptor, LoadProgress, ModelSpec } from '../contracts/model.ts';
import { assertNames } from '../core/assert-names.ts';
import { renameFields } from '../errors.ts';
import { readEvidence } from '../folder/evidence.ts';
import {
  obtainFiles,
  type FilesRequest,
  type ObtainedModel,
  type ObtainOptions,
} from '../hub/obtain-files.ts';
import { createProgressLine } from '../hub/progress.ts';
import { assertIntact } from '../hub/verify-files.ts';
import { choiceOf, chooseModel } from './choice.ts';

/** A model to obtain, as `createInference` takes it. */
export type ModelRequest = Omit<FilesRequest, 'choice' | 'category'> & {
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
  const choice = choiceOf(request.category, backendOf(request) ?? backends[0]);
  const { source, dtype } = await obtainFiles({ ...request, choice }, options);
  return { source, dtype };
}

/** A model whose files are on this disk, as they should be, and what opens it. */
export interface ReadyModel {
  readonly spec: ModelSpec;
  readonly architecture: Architecture | undefined;
}

/** Obtains and verifies the files of a model and of those beside it; standard error shows how a download goes. */
export async function obtainSpec(
  spec: ModelSpec & { readonly category: string },
  backend: BackendDefinition,
  onProgress: (progress: LoadProgress) => void,
): Promise<ReadyModel> {
  const showProgress = createProgressLine(process.stderr);
  let download: Omit<LoadProgress, 'phase'> = {};
  const options: ObtainOptions = {
    onProgress(progress) {
      showProgress(progress);
      const { receivedBytes, totalBytes } = progress.overall;
      download = { receivedBytes, totalBytes };
      onProgress({ phase: 'downloading', ...download });
    },
    onWarning: (message) => console.warn(`slashv1: ${message}`),
  };
  const { category, hub } = spec;
  const choice = choiceOf(category, backend);
  const request = { source: spec.source, category, dtype: spec.dtype, hub, choice };
  const obtained = await obtainFiles(request, options);
  const withCompanions = await obtainCompanions(spec, options);
  const { source, dtype } = obtained;
  onProgress({ phase: 'verifying', ...download });
  await assertIntact(source, spec.verify);
  onProgress({ phase: 'opening', ...download });
  // What a folder of this disk holds counts once it was compared.
  const { architecture } = obtained.choice ?? chooseModel(category, backend, readEvidence(source));
  return { spec: { ...withCompanions, source, dtype }, architecture };
}

/**
 * Sees to it that the models beside a model are on this disk.
 * @returns the settings, with their folders in place of their sources
 */
async function obtainCompanions<Spec extends ModelSpec & { readonly category: string }>(
  spec: Spec,
  options: ObtainOptions,
): Promise<Spec> {
  const { companions } = categoryModels.get(spec.category) ?? {};
  if (!companions) return spec;
  const { setting, fields, files } = companions;
  const given = (spec as Readonly<Record<string, unknown>>)[setting] as
    Readonly<Record<string, string>> | undefined;
  if (given === undefined) return spec;
  const obtained: Record<string, string> = { ...given };
  for (const field of fields) {
    try {
      const model = { source: given[field]!, category: spec.category, hub: spec.hub };
      const { source } = await obtainFiles({ ...model, choice: { files } }, options);
      await assertIntact(source, spec.verify);
      obtained[field] = source;
    } catch (error) {
      throw renameFields(error, (name) => (name === 'source' ? `${setting}.${field}` : name));
    }
  }
  return { ...spec, [setting]: obtained };
}
