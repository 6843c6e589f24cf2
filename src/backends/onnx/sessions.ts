import { dirname } from 'node:path';
import { useLibrary, usePlugins } from '../../runtime/choose-runtime.ts';
import { createOnnxSession } from '../../runtime/onnx.ts';
import { withQuickGraph } from '../../runtime/quick-graph.ts';
import type { SessionBackend, TextModel } from '../../contracts/sessions.ts';
import type { ModelSpec } from '../../contracts/model.ts';
import type { ChatSettings } from '../../categories/chat/settings.ts';
import { resolveHubSettings } from '../../hub/remote-model.ts';
import { locateDecoder, openModelFolder } from '../../folder/model-folder.ts';
import { locateModel } from '../../folder/source.ts';
import { createTextTokenizer } from '../../folder/tokenizer.ts';
import { loadDecoder } from './chat/load-decoder.ts';
import type { OnnxBackend } from './settings.ts';

/** Local graphs, run by ONNX Runtime in this process. */
export const onnxSessions: SessionBackend = {
  hasGraphs: true,
  async openSession(given, { device, threads }) {
    const options = { device, threads };
    const { graph, bytes } = given.bytes ? given : withQuickGraph(given.graph, options);
    return createOnnxSession(bytes ?? graph, { ...options, weightsFolder: bytes && dirname(graph) });
  },
  openTextModel,
};

/** Applies the library and the plugins of the settings to this process. */
export async function prepareRuntime({ library, plugins }: Partial<OnnxBackend> = {}): Promise<void> {
  if (library !== undefined) await useLibrary(library);
  if (plugins && plugins.length > 0) await usePlugins(plugins);
}

/** Opens the language model of a folder in Hugging Face's ONNX layout; its decoder is loaded on demand. */
async function openTextModel(spec: ModelSpec<ChatSettings>): Promise<TextModel> {
  const { device, threads, optimize, int8Activations, prefill } = spec;
  const folder = await openModelFolder(locateModel(spec.source));
  return {
    folder,
    tokenizer: createTextTokenizer(folder),
    openDecoder: () => {
      const { cacheFolder } = resolveHubSettings(spec.hub);
      const { config } = folder;
      const options = { device, threads, optimize, int8Activations, prefill, cacheFolder, config };
      return loadDecoder(locateDecoder(folder.path, spec.dtype), options);
    },
  };
}
