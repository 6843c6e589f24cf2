import { join } from 'node:path';
import { pictureMark } from '../../../../core/chat/messages.ts';
import { createVisionFamily } from '../../../../core/vision/families/registry.ts';
import { fieldErrorOf } from '../../../../errors.ts';
import type { ChatTemplate } from '../../../../models/chat-template.ts';
import { localFiles } from '../../../../models/graph-files.ts';
import { embeddingGraph, visionGraph } from '../../../../models/model-files.ts';
import { locateDecoder, readJson, type ModelFolder } from '../../../../models/model-folder.ts';
import type { TextTokenizer } from '../../../../models/tokenizer.ts';
import { createOnnxSession } from '../../../../runtime/onnx.ts';
import type { ModelSpec } from '../../../contract.ts';
import type { ChatSettings } from '../../settings.ts';
import type { Decoder } from '../../../../runtime/decoder.ts';
import { loadDecoder, type DecoderOptions } from '../../../../backends/onnx/chat/load-decoder.ts';
import { createEmbeddingDecoder } from './embedding-decoder.ts';
import { PictureTable } from './picture-table.ts';
import { createTokenEmbedder } from './token-embedder.ts';
import { VisionModel } from './vision-model.ts';

/** The graphs of a chat model. */
export interface ChatGraphs {
  readonly decoder: Decoder;
  /** `undefined` for a model that takes no pictures. */
  readonly vision: VisionModel | undefined;
}

/** Settings of a model's pictures beside its graphs. */
export interface VisionSetting {
  readonly spec: ModelSpec<ChatSettings>;
  readonly template: ChatTemplate;
  readonly tokenizer: TextTokenizer;
}

/**
 * Loads the graphs of a chat model: a decoder that takes tokens; or `embed_tokens`, a decoder that takes embeddings and,
 * where the model takes pictures, `vision_encoder`.
 *
 * @throws InferenceError `invalid_request` naming the file or setting that doesn't fit
 */
export async function loadChatGraphs(
  folder: ModelFolder,
  setting: VisionSetting,
  options: DecoderOptions,
): Promise<ChatGraphs> {
  const { dtype } = setting.spec;
  const inner = await loadDecoder(locateDecoder(folder.path, dtype), options);
  if (inner.hiddenSize === undefined) return { decoder: inner, vision: undefined };
  const opened: { release(): Promise<void> }[] = [inner];
  const { device, threads } = options;
  const open = async (graph: string) => {
    const session = await createOnnxSession(join(folder.path, graph), { device, threads });
    opened.push(session);
    return session;
  };
  try {
    const files = localFiles(folder.path);
    const table = new PictureTable(inner.hiddenSize);
    const embedder = createTokenEmbedder(await open(embeddingGraph(files, dtype)), inner, table);
    const decoder = createEmbeddingDecoder(inner, embedder, table);
    const graph = visionGraph(files, dtype);
    const family = graph === undefined ? undefined : await readFamily(folder, setting);
    if (graph === undefined || family === undefined) return { decoder, vision: undefined };
    const parts = { family: family.family, token: family.token, table, settings: setting.spec };
    return { decoder, vision: new VisionModel(await open(graph), parts) };
  } catch (error) {
    await Promise.all(opened.map((one) => one.release()));
    throw error;
  }
}

/** @returns `undefined` where the model's kind isn't known, or its tokenizer or chat template have no place for pictures */
async function readFamily(folder: ModelFolder, { template, tokenizer }: VisionSetting) {
  const family = withReason(createVisionFamily, {
    config: folder.config,
    preprocessor: await readPreprocessor(folder),
  });
  const token = family && tokenizer.tokenToId(family.pictureToken);
  if (!family || token === undefined) return undefined;
  const shown = template.render([{ role: 'user', content: `${pictureMark}Picture.` }], []);
  return shown.includes(family.placeholder) ? { family, token } : undefined;
}

/** Newer files keep it within the processor's. */
async function readPreprocessor({ path }: ModelFolder): Promise<Readonly<Record<string, unknown>>> {
  const own = await readJson(path, 'preprocessor_config.json', {});
  if (Object.keys(own).length > 0) return own;
  const { image_processor: inner } = await readJson(path, 'processor_config.json', {});
  return (inner ?? {}) as Readonly<Record<string, unknown>>;
}

function withReason<A, R>(create: (argument: A) => R, argument: A): R {
  try {
    return create(argument);
  } catch (error) {
    throw fieldErrorOf('source', error);
  }
}
