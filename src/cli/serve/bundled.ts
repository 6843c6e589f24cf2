import { bundledModelNames } from '../../folder/bundled-models.ts';
import { locateModel } from '../../folder/source.ts';
import { InferenceError } from '../../index.ts';
import { UsageError } from '../usage-error.ts';
import type { ModelSettings } from '../model-settings.ts';

/** The models that are served where nobody names one. */
export function bundledModelSettings(hub: ModelSettings['hub']): Readonly<Record<string, ModelSettings>> {
  try {
    locateModel(bundledModelNames[0]!);
  } catch (error) {
    if (!InferenceError.isInstance(error)) throw error;
    throw new UsageError(
      'No model is named, and the bundled ones are not installed. Name one, such as --model qwen3-0.6b (slashv1 models list --catalogue shows more), or run npm install @slashv1/tiny-models.',
      { cause: error },
    );
  }
  return Object.fromEntries(bundledModelNames.map((name) => [name, { source: name, hub }]));
}
