import type { Tensor } from '@huggingface/transformers';
import type { ModelSpec } from '../../../contracts/model.ts';
import type { Encoder, Picture, TokenSequence } from '../../../categories/embedding/encoder.ts';
import type { EmbeddingSettings } from '../../../categories/embedding/settings.ts';
import { limitConcurrency } from '../../../concurrency/limit-concurrency.ts';
import { assertWanted, fieldError } from '../../../errors.ts';
import { localFiles } from '../../../folder/graph-files.ts';
import type { ModelFolder, TextTokenizer } from '../../../contracts/text-model.ts';
import { openModelFolder } from '../../../folder/model-folder.ts';
import { createTextTokenizer, tokenText } from '../../../folder/tokenizer.ts';
import { maxLengthOf } from '../../../runtime/encoder/token-inputs.ts';
import { findStoredGraphs } from '../files.ts';
import { disposerOf, loadPictureReader, openFolder, type PackageFolder } from '../load-options.ts';
import type { TransformersPackage } from '../load-package.ts';

type Outputs = Readonly<Record<string, Tensor | undefined>>;
type Classes<Part extends string> = Extract<keyof TransformersPackage, Part>;

interface Family {
  readonly textClass: Classes<'CLIPTextModelWithProjection' | 'SiglipTextModel' | 'JinaCLIPTextModel'>;
  readonly visionClass: Classes<
    'CLIPVisionModelWithProjection' | 'SiglipVisionModel' | 'JinaCLIPVisionModel'
  >;
  /** Whether texts are padded to the maximum length, as in training. */
  readonly fillsUp: boolean;
}

const families = {
  CLIP: {
    textClass: 'CLIPTextModelWithProjection',
    visionClass: 'CLIPVisionModelWithProjection',
    fillsUp: false,
  },
  Siglip: { textClass: 'SiglipTextModel', visionClass: 'SiglipVisionModel', fillsUp: true },
  JinaCLIP: { textClass: 'JinaCLIPTextModel', visionClass: 'JinaCLIPVisionModel', fillsUp: false },
} as const satisfies Readonly<Record<string, Family>>;

/** Larger pictures are downscaled first: the models read less. */
const maxSide = 1024;

/** Opens a model of texts and pictures; it embeds pictures if its folder has the graph for them. */
export async function openPairedEncoder(
  spec: ModelSpec<EmbeddingSettings>,
  familyName: keyof typeof families,
): Promise<Encoder> {
  if (spec.pooling !== undefined) throw fieldError('pooling', 'the model has a pooling of its own');
  const { textClass, visionClass, fillsUp }: Family = families[familyName];
  const inTurn = limitConcurrency(1);
  return openFolder(spec, async (parts) => {
    const { path, options, transformers } = parts;
    const folder = await openModelFolder(path);
    const tokenizer = createTextTokenizer(folder);
    const { config, tokenizerConfig } = folder;
    const ofText = (config['text_config'] ?? {}) as Readonly<Record<string, unknown>>;
    const maxTextLength = Number(ofText['max_position_embeddings'] ?? tokenizerConfig['model_max_length']);
    const contextLength = Math.min(spec.contextLength ?? Infinity, maxTextLength);
    const hasVision = Object.hasOwn(findStoredGraphs(localFiles(path)).dtypes, 'vision_model');
    const text = await transformers[textClass].from_pretrained(path, options);
    const toFeeds = createFeeds(transformers.Tensor, {
      filler: fillerOf(folder, tokenizer),
      length: fillsUp ? maxTextLength : 0,
    });
    const encode: Encoder['encode'] = (sequences) =>
      inTurn(async () => toVectors((await text(toFeeds(sequences))) as Outputs, 'text_embeds'));
    const vision = hasVision ? await loadVision(parts, visionClass) : undefined;
    const [probe] = await encode([
      { ids: [...tokenizer.frame.before, 0, ...tokenizer.frame.after], promptTokens: 0 },
    ]);
    return {
      tokenizer,
      contextLength,
      dimensions: probe!.length,
      created: folder.created,
      maxSide,
      encode,
      ...(vision && {
        encodePicture: (picture: Picture, signal: AbortSignal | undefined) =>
          inTurn(() => {
            assertWanted(signal);
            return vision.encode(picture);
          }),
      }),
      release: disposerOf(text, vision?.model),
    };
  });
}

/** The padding id. */
function fillerOf({ tokenizerConfig }: ModelFolder, tokenizer: TextTokenizer): number {
  return tokenizer.tokenToId(String(tokenText(tokenizerConfig['pad_token']))) ?? 0;
}

/** Creates the inputs of a batch, padded to its longest text or to a length. */
function createFeeds(
  TensorOf: typeof Tensor,
  { filler, length: least }: { filler: number; length: number },
): (sequences: readonly TokenSequence[]) => Readonly<Record<string, Tensor>> {
  return (sequences) => {
    const length = Math.max(least, maxLengthOf(sequences));
    const dims = [sequences.length, length];
    const ids = new BigInt64Array(sequences.length * length).fill(BigInt(filler));
    const mask = new BigInt64Array(ids.length);
    for (const [row, sequence] of sequences.entries()) {
      ids.set(sequence.ids.map(BigInt), row * length);
      mask.fill(1n, row * length, row * length + sequence.ids.length);
    }
    return { input_ids: new TensorOf('int64', ids, dims), attention_mask: new TensorOf('int64', mask, dims) };
  };
}

async function loadVision(folder: PackageFolder, visionClass: Family['visionClass']) {
  const read = await loadPictureReader(folder);
  const model = await folder.transformers[visionClass].from_pretrained(folder.path, folder.options);
  return {
    model,
    encode: async ({ pixels, ...size }: Picture) =>
      toVectors((await model(await read(pixels, size))) as Outputs, 'image_embeds')[0]!,
  };
}

function toVectors(outputs: Outputs, name: string): Float32Array[] {
  const output = outputs[name] ?? outputs['pooler_output'];
  if (!output)
    throw new Error(`expected the output ${name} or pooler_output, got ${Object.keys(outputs).join(', ')}`);
  const [rows = 0, size = 0] = output.dims;
  const data = output.to('float32').data as Float32Array;
  return Array.from({ length: rows }, (_, row) => data.slice(row * size, (row + 1) * size));
}
