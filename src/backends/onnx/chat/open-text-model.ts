import type { ModelSpec } from '../../../contracts/model.ts';
import type { ChatSettings } from '../../../categories/chat/settings.ts';
import { resolveHubSettings } from '../../../models/hub/settings.ts';
import { locateDecoder, openModelFolder } from '../../../models/model-folder.ts';
import { locateModel } from '../../../models/source.ts';
import { createTextTokenizer } from '../../../models/tokenizer.ts';
import type { TextModel } from '../../../contracts/sessions.ts';
import { loadDecoder } from './load-decoder.ts';

/**
 * Opens the language model of a folder in the hub's ONNX layout; its decoder is loaded when it is asked for.
 *
 * @throws InferenceError `invalid_request` naming the file that is missing or damaged
 */
export async function openTextModel(spec: ModelSpec<ChatSettings>): Promise<TextModel> {
  const { device, threads, optimize, int8Activations } = spec;
  const folder = await openModelFolder(locateModel(spec.source));
  return {
    folder,
    tokenizer: createTextTokenizer(folder),
    openDecoder: () => {
      const { cacheFolder } = resolveHubSettings(spec.hub);
      const options = { device, threads, optimize, int8Activations, cacheFolder };
      return loadDecoder(locateDecoder(folder.path, spec.dtype), options);
    },
  };
}
