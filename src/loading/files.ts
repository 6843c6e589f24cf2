import { backendOf, backends } from '../backends/registry.ts';
import { categoryModels } from '../categories/models.ts';
import type { Category } from '../categories/registry.ts';
import type { Architecture } from '../contracts/architecture.ts';
import type { BackendDefinition } from '../contracts/backend.ts';
import type { CommonSettings, LoadProgress, ModelSpec } from '../contracts/model.ts';
import { assertNames } from '../core/assert-names.ts';
import { renameFields } from '../errors.ts';
import { readEvidence } from '../folder/evidence.ts';
import { assertDtype } from '../folder/graph-files.ts';
import { obtainFiles, type ObtainedModel } from '../hub/obtain-files.ts';
import { createProgressLine, type DownloadProgress } from '../hub/progress.ts';
import { findRemote, type RemoteModel, type RemoteOptions } from '../hub/remote-model.ts';
import { assertIntact } from '../hub/verify-files.ts';
import { choiceOf, chooseModel } from './choice.ts';

/** A model to obtain, with the settings of `createInference`. */
export interface ModelRequest extends Pick<CommonSettings, 'source' | 'backend' | 'dtype' | 'hub'> {
  readonly category: Category | (string & {});
}

/** Progress and time limits of a download. */
export interface ObtainOptions extends Pick<RemoteOptions, 'onWarning' | 'signal' | 'retry'> {
  readonly onProgress?: ((progress: DownloadProgress) => void) | undefined;
}

/**
 * Ensures that the files of a model are on this disk, complete and verified: only the files of its architecture and
 * dtype. A local model is returned unchanged.
 *
 * @throws InferenceError with the param `source`, `dtype`, `category` or `backend`: `invalid_request` if the model
 * doesn't exist, the backend doesn't support it, the caller has no access, or it isn't cached in offline mode;
 * `worker_failed` if the download fails
 *
 * @example
 * ```ts
 * const { source } = await obtainModel({ source: 'HuggingFaceTB/SmolLM2-360M-Instruct', category: 'chat', dtype: 'q4' });
 * ```
 */
export async function obtainModel(
  request: ModelRequest,
  options: ObtainOptions = {},
): Promise<ObtainedModel> {
  assertNames('obtainModel', request, ['source', 'category', 'dtype', 'hub', 'backend']);
  assertNames('obtainModel', options, ['onProgress', 'onWarning', 'signal', 'retry']);
  const { category, dtype, hub } = request;
  const choice = choiceOf(category, backendOf(request) ?? backends[0]);
  if (dtype !== undefined) assertDtype(dtype);
  const remote = findRemote(request.source, { ...options, category, hub });
  if (!remote) return { source: request.source, dtype };
  const obtained = await obtainFiles(remote, { category, choice, dtype }, options.onProgress);
  return { source: obtained.source, dtype: obtained.dtype };
}

/**
 * Obtains and verifies the files of a model and its companions; standard error shows the progress of a download.
 * @returns the settings with its local path, and its architecture
 */
export async function obtainSpec(
  spec: ModelSpec & { readonly category: string },
  { remote, backend }: { readonly remote: RemoteModel | undefined; readonly backend: BackendDefinition },
  tell: (progress: LoadProgress) => void,
): Promise<{ readonly spec: ModelSpec; readonly architecture: Architecture | undefined }> {
  const showProgress = createProgressLine(process.stderr);
  let download: Omit<LoadProgress, 'phase'> = {};
  const onProgress = (progress: DownloadProgress): void => {
    showProgress(progress);
    const { receivedBytes, totalBytes } = progress.overall;
    download = { receivedBytes, totalBytes };
    tell({ phase: 'downloading', ...download });
  };
  const { category, verify } = spec;
  const request = { category, dtype: spec.dtype, choice: choiceOf(category, backend) };
  if (request.dtype !== undefined) assertDtype(request.dtype);
  const obtained = remote && (await obtainFiles({ ...remote, onWarning }, request, onProgress));
  const withCompanions = await obtainCompanions(spec, onProgress);
  const { source, dtype } = obtained ?? spec;
  tell({ phase: 'verifying', ...download });
  await assertIntact(source, verify);
  tell({ phase: 'opening', ...download });
  // A folder's content only counts after verification.
  const { architecture } = obtained?.choice ?? chooseModel(category, backend, readEvidence(source));
  return { spec: { ...withCompanions, source, dtype }, architecture };
}

const onWarning = (message: string): void => console.warn(`slashv1: ${message}`);

/**
 * Ensures that a model's companion models are on this disk.
 * @returns the settings, with folders instead of sources
 */
async function obtainCompanions<Spec extends ModelSpec & { readonly category: string }>(
  spec: Spec,
  onProgress: (progress: DownloadProgress) => void,
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
      const { category, hub } = spec;
      const remote = findRemote(given[field]!, { category, hub, onWarning });
      if (remote)
        obtained[field] = (await obtainFiles(remote, { category, choice: { files } }, onProgress)).source;
      await assertIntact(obtained[field]!, spec.verify);
    } catch (error) {
      throw renameFields(error, (name) => (name === 'source' ? `${setting}.${field}` : name));
    }
  }
  return { ...spec, [setting]: obtained };
}
