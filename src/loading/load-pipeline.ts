import { backendOf } from '../backends/registry.ts';
import { categoryModels, loaderOf } from '../categories/models.ts';
import type { Categories, Category } from '../categories/registry.ts';
import type { LoadProgress, ModelSpec } from '../contracts/model.ts';
import type { Pipeline } from '../contracts/category.ts';
import { deviceNumber } from '../core/device.ts';
import { fieldError, renameFields } from '../errors.ts';
import { obtainFiles, type ObtainOptions } from '../hub/obtain-model.ts';
import { createProgressLine } from '../hub/progress.ts';
import { assertIntact } from '../hub/verify-files.ts';
import { chosenRuntime } from '../runtime/choose-runtime.ts';
import { obtainModel } from './obtain-model.ts';
import { chooseArchitecture } from './choose-architecture.ts';
import type { Architecture } from '../contracts/architecture.ts';
import { readEvidence } from '../hub/describe-model.ts';
import { describeModel } from './recognize-model.ts';
import { withRunHeaders } from '../runtime/http/run-headers.ts';

/** Loads a model into this process, after a download where it comes from the network; standard error shows how that goes. */
export async function loadPipeline<C extends Category>(
  spec: ModelSpec & { readonly category: C } & Omit<Categories[C]['options'], 'category'>,
  onProgress?: (progress: LoadProgress) => void,
): Promise<Pipeline<Categories[C]['request'], Categories[C]['event'], Categories[C]['info']>>;
export async function loadPipeline(
  spec: ModelSpec,
  onProgress?: (progress: LoadProgress) => void,
): Promise<Pipeline>;
export async function loadPipeline(
  spec: ModelSpec,
  onProgress: (progress: LoadProgress) => void = () => undefined,
): Promise<Pipeline> {
  if (deviceNumber(spec.device) !== undefined) {
    throw fieldError(
      'device',
      `${spec.device} needs a process of its own, which isolation: "process" gives it`,
    );
  }
  const definition = backendOf(spec);
  if (!definition) throw fieldError('backend', 'expected one that exists');
  const category = spec.category ?? (await describeModel(spec.source, { hub: spec.hub })).category;
  const backend = await definition.open({ ...spec, category });
  if ('loadPipeline' in backend) return backend.loadPipeline(spec);
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
  const { source, dtype } = await obtainModel(
    { source: spec.source, category, dtype: spec.dtype, hub: spec.hub, backend: spec.backend },
    options,
  );
  const withCompanions = await obtainCompanions({ ...spec, category }, options);
  onProgress({ phase: 'verifying', ...download });
  await assertIntact(source, spec.verify);
  onProgress({ phase: 'opening', ...download });
  const obtained = { ...withCompanions, source, dtype };
  const load = await loaderOf(category)();
  const architecture = chooseArchitecture(category, definition, readEvidence(source));
  const pipeline = await load(obtained, backend.sessions, architecture as Architecture<never>);
  const whole = backend.wrap ? carryHeaders(backend.wrap(pipeline)) : pipeline;
  return Object.assign(whole, { runtime: await chosenRuntime() });
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
      const model = { source: given[field]!, category: spec.category, hub: spec.hub, files };
      const { source } = await obtainFiles(model, options);
      await assertIntact(source, spec.verify);
      obtained[field] = source;
    } catch (error) {
      throw renameFields(error, (name) => (name === 'source' ? `${setting}.${field}` : name));
    }
  }
  return { ...spec, [setting]: obtained };
}

/** Graphs that other machines run for the pipeline are asked for with the headers of the run. */
function carryHeaders(pipeline: Pipeline): Pipeline {
  const run: Pipeline['run'] = (request, options = {}) => {
    const events = pipeline.run(request, options);
    return options.headers ? withRunHeaders(options.headers, events) : events;
  };
  return { ...pipeline, run };
}
