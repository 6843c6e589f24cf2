import { backendOf } from '../backends/registry.ts';
import { loaderOf } from '../categories/models.ts';
import type { Categories, Category } from '../categories/registry.ts';
import type { Architecture } from '../contracts/architecture.ts';
import type { Pipeline } from '../contracts/category.ts';
import type { LoadProgress, ModelSpec } from '../contracts/model.ts';
import { deviceNumber } from '../core/device.ts';
import { fieldError } from '../errors.ts';
import { findRemote } from '../hub/remote-model.ts';
import { chosenRuntime } from '../runtime/choose-runtime.ts';
import { withRunHeaders } from '../runtime/http/run-headers.ts';
import { describeFound } from './facts.ts';
import { obtainSpec } from './files.ts';

/** Loads a model into this process, after downloading it if necessary; standard error shows the progress. */
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
  const backend = backendOf(spec);
  if (!backend) throw fieldError('backend', 'expected one that exists');
  const opened = await backend.open(spec);
  if ('loadPipeline' in opened) return opened.loadPipeline(spec);
  const remote = findRemote(spec.source, spec);
  const category = spec.category ?? (await describeFound(spec.source, remote)).category;
  const ready = await obtainSpec({ ...spec, category }, { remote, backend }, onProgress);
  const load = await loaderOf(category)();
  const pipeline = await load(ready.spec, opened.sessions, ready.architecture as Architecture<never>);
  const whole = opened.wrap ? carryHeaders(opened.wrap(pipeline)) : pipeline;
  return Object.assign(whole, { runtime: await chosenRuntime() });
}

/** Sends the run's headers to remote graphs of the pipeline. */
function carryHeaders(pipeline: Pipeline): Pipeline {
  const run: Pipeline['run'] = (request, options = {}) => {
    const events = pipeline.run(request, options);
    return options.headers ? withRunHeaders(options.headers, events) : events;
  };
  return { ...pipeline, run };
}
