import { join } from 'node:path';
import type { Decoder, DecoderCache } from '../../../../contracts/decoder.ts';
import type { ModelSpec } from '../../../../contracts/model.ts';
import type { SessionBackend } from '../../../../contracts/sessions.ts';
import { pictureMark } from '../../../../core/chat/messages.ts';
import { createVisionFamily } from '../../../../core/vision/families/registry.ts';
import { fieldErrorOf } from '../../../../errors.ts';
import type { ChatTemplate } from '../../../../folder/chat-template.ts';
import { localFiles } from '../../../../folder/graph-files.ts';
import { embeddingGraph, visionGraph } from '../../../../folder/model-files.ts';
import { readJson, type ModelFolder } from '../../../../folder/model-folder.ts';
import type { TextTokenizer } from '../../../../folder/tokenizer.ts';
import type { ChatSettings } from '../../settings.ts';
import { GridPositions } from './grid-positions.ts';
import { PictureTable } from './picture-table.ts';
import { createTokenEmbedder, type TokenEmbedder } from './token-embedder.ts';
import { VisionModel } from './vision-model.ts';

/** A decoder whose graph takes embeddings, as one that takes tokens and the ids of pictures' rows. */
function createEmbeddingDecoder(
  inner: Decoder,
  embedder: TokenEmbedder,
  pictures: Pick<PictureTable, 'find'>,
): Decoder {
  const grid = inner.hasGridPositions ? new GridPositions(pictures) : undefined;
  return {
    vocabularySize: inner.vocabularySize,
    ragged: inner.ragged,
    raggedPrompts: inner.raggedPrompts,
    cutsSequences: inner.cutsSequences ?? true,
    pieceTokens: inner.pieceTokens,
    createCache: (rows, room) => inner.createCache(rows, room),
    async gather(rows, replaced, room) {
      // A cache that is replaced may become the new one.
      const gathered = await inner.gather(rows, replaced, room);
      grid?.gather(rows, gathered);
      return gathered;
    },
    async forward(cache, tokens, count, counts) {
      const embedded = await embedder.embed(tokens);
      const positions = grid?.next(cache, tokens, count, counts);
      return inner.forward(cache, tokens, count, counts, { ...embedded, ...(positions && { positions }) });
    },
    ...(inner.forwardAll && {
      async forwardAll(cache: DecoderCache, tokens: Int32Array) {
        const embedded = await embedder.embed(tokens);
        const positions = grid?.next(cache, tokens, tokens.length, undefined);
        return inner.forwardAll!(cache, tokens, { ...embedded, ...(positions && { positions }) });
      },
    }),
    interrupt: () => inner.interrupt?.(),
    async release() {
      await inner.release();
      await embedder.release();
    },
  };
}

/** The graphs of a chat model. */
export interface ChatGraphs {
  readonly decoder: Decoder;
  /** `undefined` for a model that takes no pictures. */
  readonly vision: VisionModel | undefined;
}

/** All that a model of pictures is made of beside its decoder. */
export interface VisionParts {
  readonly backend: Pick<SessionBackend, 'openSession'>;
  readonly spec: ModelSpec<ChatSettings>;
  readonly folder: ModelFolder;
  readonly template: ChatTemplate;
  readonly tokenizer: TextTokenizer;
}

/**
 * Loads the graphs beside a decoder that takes embeddings: `embed_tokens` and, where the model takes pictures,
 * `vision_encoder`. A decoder that takes tokens needs none.
 */
export async function loadVision(inner: Decoder, parts: VisionParts): Promise<ChatGraphs> {
  if (inner.hiddenSize === undefined) return { decoder: inner, vision: undefined };
  const { backend, spec, folder } = parts;
  const opened: { release(): Promise<void> }[] = [inner];
  const open = async (graph: string, name: string) => {
    const session = await backend.openSession({ graph: join(folder.path, graph), name }, spec);
    opened.push(session);
    return session;
  };
  try {
    const files = localFiles(folder.path);
    const table = new PictureTable(inner.hiddenSize);
    const embeddings = await open(embeddingGraph(files, spec.dtype), 'embed_tokens');
    const decoder = createEmbeddingDecoder(inner, createTokenEmbedder(embeddings, inner, table), table);
    const graph = visionGraph(files, spec.dtype);
    const found = graph === undefined ? undefined : await readFamily(parts);
    if (graph === undefined || found === undefined) return { decoder, vision: undefined };
    const session = await open(graph, 'vision_encoder');
    return { decoder, vision: new VisionModel(session, { ...found, table, settings: spec }) };
  } catch (error) {
    await Promise.all(opened.map((one) => one.release()));
    throw error;
  }
}

/** @returns `undefined` where the model's kind isn't known, or its tokenizer or chat template have no place for pictures */
async function readFamily({ folder, template, tokenizer }: VisionParts) {
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
