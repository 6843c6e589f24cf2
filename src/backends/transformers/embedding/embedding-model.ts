import type { PreTrainedModel, PreTrainedTokenizer, RawImage, Tensor } from '@huggingface/transformers';
import { quote } from '../../../core/text/quote.ts';
import type { Size } from '../../../core/vision/box.ts';
import { localFiles } from '../../../models/graph-files.ts';
import { readJson } from '../../../models/model-folder.ts';
import { sourceError } from '../../../models/model-files.ts';
import type { ModelSpec } from '../../../categories/contract.ts';
import { findStoredGraphs } from '../files.ts';
import { loadPart, toLoadOptions, type LoadOptions } from '../load-options.ts';
import { loadTransformersPackage, type TransformersPackage } from '../load-package.ts';

type Outputs = Readonly<Record<string, Tensor | undefined>>;

/** The texts of a batch as vectors, and how many tokens they had. */
export interface TextVectors {
  readonly vectors: readonly Float32Array[];
  readonly tokens: number;
}

/** A model whose texts and pictures have vectors that can be compared. */
export interface PairedModel {
  /** Tokens of a text, special ones included. */
  readonly contextLength: number;
  countTokens(text: string): number;
  /** Longer texts are cut. */
  embedTexts(texts: readonly string[]): Promise<TextVectors>;
  /** `undefined` where the model's folder has no graph for pictures. */
  readonly embedPicture: ((pixels: Uint8Array, size: Size) => Promise<Float32Array>) | undefined;
  release(): Promise<void>;
}

interface Family {
  readonly textClass: 'CLIPTextModelWithProjection' | 'SiglipTextModel' | 'JinaCLIPTextModel';
  readonly visionClass: 'CLIPVisionModelWithProjection' | 'SiglipVisionModel' | 'JinaCLIPVisionModel';
  /** SigLIP was trained on texts that are filled up. */
  readonly padding: true | 'max_length';
}

const families: Readonly<Record<string, Family>> = {
  clip: {
    textClass: 'CLIPTextModelWithProjection',
    visionClass: 'CLIPVisionModelWithProjection',
    padding: true,
  },
  siglip: { textClass: 'SiglipTextModel', visionClass: 'SiglipVisionModel', padding: 'max_length' },
  jina_clip: { textClass: 'JinaCLIPTextModel', visionClass: 'JinaCLIPVisionModel', padding: true },
};

/**
 * Loads the model of a folder.
 *
 * @throws InferenceError `invalid_request` for an architecture that is not known here, and for files that can't be
 * loaded
 */
export async function loadPairedModel(path: string, spec: ModelSpec): Promise<PairedModel> {
  const transformers = await loadTransformersPackage();
  const config = await readJson(path, 'config.json');
  const name = String(config['model_type']).replace(/^siglip2?$/, 'siglip');
  const family = Object.hasOwn(families, name) ? families[name]! : undefined;
  if (!family) {
    const known = Object.keys(families).join(', ');
    throw sourceError(
      `expected a model of texts and pictures with a model_type in ${known}, got ${quote(name)}; onnx() runs text encoders`,
    );
  }
  const options = toLoadOptions(path, spec);
  const hasVision = Object.hasOwn(findStoredGraphs(localFiles(path)).dtypes, 'vision_model');
  return loadPart(async () => {
    const tokenizer = await transformers.AutoTokenizer.from_pretrained(path, { local_files_only: true });
    const text = await transformers[family.textClass].from_pretrained(path, options);
    const embedPicture = hasVision ? await loadVision(path, family, options, transformers) : undefined;
    return createPairedModel({ text, tokenizer, embedPicture, config, family });
  });
}

interface Parts {
  readonly text: PreTrainedModel;
  readonly tokenizer: PreTrainedTokenizer;
  readonly embedPicture: Awaited<ReturnType<typeof loadVision>> | undefined;
  readonly config: Readonly<Record<string, unknown>>;
  readonly family: Family;
}

function createPairedModel({ text, tokenizer, embedPicture, config, family }: Parts): PairedModel {
  const textConfig = (config['text_config'] ?? {}) as Readonly<Record<string, unknown>>;
  const contextLength = Number(textConfig['max_position_embeddings'] ?? tokenizer.model_max_length);
  const countTokens = (one: string): number => tokenizer.encode(one).length;
  return {
    contextLength,
    countTokens,
    async embedTexts(texts) {
      const inputs = tokenizer([...texts], {
        padding: family.padding,
        truncation: true,
        max_length: contextLength,
      }) as object;
      const vectors = toVectors((await text(inputs)) as Outputs, 'text_embeds');
      const tokens = texts.reduce((sum, one) => sum + Math.min(countTokens(one), contextLength), 0);
      return { vectors, tokens };
    },
    embedPicture: embedPicture?.embed,
    async release() {
      await text.dispose();
      await embedPicture?.model.dispose();
    },
  };
}

async function loadVision(
  path: string,
  family: Family,
  options: LoadOptions,
  transformers: TransformersPackage,
) {
  const processor = await transformers.AutoImageProcessor.from_pretrained(path, { local_files_only: true });
  const model = await transformers[family.visionClass].from_pretrained(path, options);
  const process = processor as unknown as (images: readonly RawImage[]) => Promise<object>;
  return {
    model,
    async embed(pixels: Uint8Array, { width, height }: Size): Promise<Float32Array> {
      const image = new transformers.RawImage(pixels, width, height, 3);
      return toVectors((await model(await process([image]))) as Outputs, 'image_embeds')[0]!;
    },
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
