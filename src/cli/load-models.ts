import { InferenceError, obtainModel, type HubOptions, type ModelOptions } from '../index.ts';
import { backendOf } from '../backends/registry.ts';
import { knownModels } from '../hub/describe-model.ts';
import { describeModel, recognizeModel } from '../loading/recognize-model.ts';
import type { ModelSettings } from './model-settings.ts';
import { createProgressBar } from './progress-bar.ts';
import { didYouMean } from '../core/text/suggest.ts';
import type { Terminal } from './terminal.ts';
import { sentence } from '../errors.ts';

export interface FetchContext {
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
}

/** Finds out the category of a model and sees to it that its files are on this disk. */
export async function fetchModel(
  settings: ModelSettings,
  { terminal, signal }: FetchContext,
): Promise<ModelOptions> {
  const { source, dtype, hub } = settings;
  if (backendOf(settings)?.place === 'host') return settings;
  const category = await categoryOf(settings, signal);
  const progress = createProgressBar(terminal.messages);
  try {
    const obtained = await obtainModel(
      { source, category, dtype, hub, backend: settings.backend },
      {
        onProgress: progress.update,
        onWarning: warn(terminal),
        signal,
      },
    );
    return { ...settings, ...obtained, category };
  } finally {
    progress.end();
  }
}

/** The given category of a model, or the one that its small files show. */
export async function categoryOf(
  { source, category, hub }: ModelSettings,
  signal: AbortSignal,
): Promise<string> {
  return category ?? recognizeModel(source) ?? (await describeModel(source, { hub, signal })).category;
}

/** Tells people what stops nothing. */
export function warn({ messages }: Terminal): (message: string) => void {
  return (message) => messages.write(`slashv1: ${message}\n`);
}

/** Settings of the command for all models, overridden by those of a model. */
export function mergeHub(
  common: HubOptions | undefined,
  own: HubOptions | undefined,
): HubOptions | undefined {
  const merged = { ...common, ...own };
  return Object.keys(merged).length > 0 ? merged : undefined;
}

/** Calls the model by name in an error that came out of the search for it, and asks whether another one was meant. */
export function aboutModel(name: string, error: unknown): unknown {
  if (!InferenceError.isInstance(error)) return error;
  const isKnown = knownModels.includes(name);
  const reason = error.message.replace(/^source: /, '');
  const hint = error.param === 'source' && !isKnown ? didYouMean(name, knownModels) : '';
  return new InferenceError(error.code, `${name}: ${sentence(reason)}${hint}`, {
    param: error.param,
    cause: error,
  });
}
