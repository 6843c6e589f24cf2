import { join } from 'node:path';
import type { Decoder, DecoderCache } from '../../../../contracts/decoder.ts';
import type { Session, Tensor } from '../../../../contracts/graph.ts';
import type { ModelSpec } from '../../../../contracts/model.ts';
import type { SessionBackend } from '../../../../contracts/sessions.ts';
import { pictureMark } from '../../../../core/chat/messages.ts';
import { float16ToFloat32Into } from '../../../../core/math/float16.ts';
import { layerEmbeddingsInput } from '../../../../core/onnx/cache-names.ts';
import { createVisionFamily } from '../../../../core/vision/families/registry.ts';
import { fieldError, inField } from '../../../../errors.ts';
import type { ChatTemplate } from '../../../../folder/chat-template.ts';
import { localFiles } from '../../../../folder/graph-files.ts';
import { embeddingGraph, visionGraph } from '../../../../folder/model-files.ts';
import type { ModelFolder, TextTokenizer } from '../../../../contracts/text-model.ts';
import { readJson } from '../../../../folder/model-folder.ts';
import { releaseOnFailure } from '../../../../concurrency/release-on-failure.ts';
import type { ChatSettings } from '../../settings.ts';
import { createGridPositions } from './grid-positions.ts';
import { createPictureTable, type PictureTable } from './picture-table.ts';

/** Graph: `input_ids` → `inputs_embeds`, for some decoders also `per_layer_inputs`. */
export function createTokenEmbedder(
  session: Session,
  { hiddenSize = 0, layerSize }: Pick<Decoder, 'hiddenSize' | 'layerSize'>,
  pictures: Pick<PictureTable, 'find'>,
) {
  const names = session.outputs.map(({ name }) => name);
  const output = names.find((name) => name !== layerEmbeddingsInput);
  if (session.inputs.length !== 1 || session.inputs[0]!.name !== 'input_ids' || output === undefined)
    throw fieldError('source', 'expected a graph embed_tokens whose only input is input_ids');
  if (layerSize !== undefined && !names.includes(layerEmbeddingsInput))
    throw fieldError('source', `the graph embed_tokens has no output ${layerEmbeddingsInput}`);
  return {
    /** @param tokens token ids and ids of image rows */
    async embed(tokens: Int32Array) {
      const ids = BigInt64Array.from(tokens, (token) => BigInt(Math.max(token, 0)));
      const results = await session.run({
        input_ids: { type: 'int64', dims: [1, tokens.length], data: ids },
      });
      const embeddings = toNumbers(results[output]!, tokens.length, hiddenSize);
      for (const [at, token] of tokens.entries()) {
        if (token >= 0) continue;
        const { picture, row } = pictures.find(token);
        embeddings.set(
          picture.embeddings.subarray(row * hiddenSize, (row + 1) * hiddenSize),
          at * hiddenSize,
        );
      }
      const ofLayers = results[layerEmbeddingsInput]!;
      return {
        embeddings,
        ...(layerSize !== undefined && { layerEmbeddings: toNumbers(ofLayers, tokens.length, layerSize) }),
      };
    },
    release: () => session.release(),
  };
}

/** @returns `[tokens × size]` */
function toNumbers({ type, data }: Tensor, tokens: number, size: number): Float32Array {
  const numbers =
    type === 'float16'
      ? float16ToFloat32Into(new Float32Array(data.length), data as Uint16Array)
      : (data as Float32Array);
  if (numbers.length === tokens * size) return numbers;
  throw new RangeError(`embed_tokens: expected ${tokens} × ${size} numbers, got ${numbers.length}`);
}

/** Converts tokens and ids of image rows to embeddings. */
function createEmbeddingDecoder(
  inner: Decoder,
  embedder: ReturnType<typeof createTokenEmbedder>,
  pictures: Pick<PictureTable, 'find'>,
): Decoder {
  const grid = inner.hasGridPositions ? createGridPositions(pictures) : undefined;
  return {
    vocabularySize: inner.vocabularySize,
    ragged: inner.ragged,
    raggedPrompts: inner.raggedPrompts,
    cutsSequences: inner.cutsSequences ?? true,
    pieceTokens: inner.pieceTokens,
    createCache: (rows, room) => inner.createCache(rows, room),
    async gather(rows, replaced, room) {
      // `gather` may reuse the replaced cache.
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

export type ChatGraphs = Awaited<ReturnType<typeof loadVision>>;

export interface VisionParts {
  readonly backend: Pick<SessionBackend, 'openSession'>;
  readonly spec: ModelSpec<ChatSettings>;
  readonly folder: ModelFolder;
  readonly template: ChatTemplate;
  readonly tokenizer: TextTokenizer;
}

/** Only for decoders that take embeddings: graph `embed_tokens` and, for image input, `vision_encoder`. */
export async function loadVision(inner: Decoder, parts: VisionParts) {
  const { hiddenSize } = inner;
  if (hiddenSize === undefined) return { decoder: inner, vision: undefined };
  const { backend, spec, folder } = parts;
  return releaseOnFailure(async (own) => {
    own(inner);
    const open = async (graph: string, name: string) =>
      own(await backend.openSession({ graph: join(folder.path, graph), name }, spec));
    const files = localFiles(folder.path);
    const table = createPictureTable(hiddenSize);
    const embeddings = await open(embeddingGraph(files, spec.dtype), 'embed_tokens');
    const decoder = createEmbeddingDecoder(inner, createTokenEmbedder(embeddings, inner, table), table);
    const graph = visionGraph(files, spec.dtype);
    const found = graph === undefined ? undefined : await readFamily(parts);
    if (graph === undefined || found === undefined) return { decoder, vision: undefined };
    // Most models have no image input and don't need this library.
    const { createVisionModel } = await import('./vision-model.ts');
    const session = await open(graph, 'vision_encoder');
    return { decoder, vision: createVisionModel(session, { ...found, table, settings: spec }) };
  });
}

/** @returns `undefined` for an unknown kind of model, or without image support in its tokenizer or chat template */
async function readFamily({ folder, template, tokenizer }: VisionParts) {
  const preprocessor = await readPreprocessor(folder);
  const family = inField('source', () => createVisionFamily({ config: folder.config, preprocessor }));
  const token = family && tokenizer.tokenToId(family.pictureToken);
  if (!family || token === undefined) return undefined;
  const shown = template.render([{ role: 'user', content: `${pictureMark}Picture.` }], []);
  return shown.includes(family.placeholder) ? { family, token } : undefined;
}

/** Newer models store it in the processor's file. */
async function readPreprocessor({ path }: ModelFolder): Promise<Readonly<Record<string, unknown>>> {
  const own = await readJson(path, 'preprocessor_config.json', {});
  if (Object.keys(own).length > 0) return own;
  const { image_processor: inner } = await readJson(path, 'processor_config.json', {});
  return (inner ?? {}) as Readonly<Record<string, unknown>>;
}
