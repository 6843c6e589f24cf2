import type { PreTrainedModel, PreTrainedTokenizer, RawImage, Tensor } from '@huggingface/transformers';
import type { Size } from '../../../core/vision/box.ts';
import type { DetrOutputs } from '../../../core/vision/heads/detr.ts';
import type { HeadOutput } from '../../../core/vision/heads/head.ts';
import type { TokenSpan } from '../../../core/vision/heads/grounded.ts';
import { quote } from '../../../core/text/quote.ts';
import { readJson } from '../../../models/model-folder.ts';
import { sourceError } from '../../../models/model-files.ts';
import type { ModelSpec } from '../../../categories/contract.ts';
import { loadPart, toLoadOptions } from '../load-options.ts';
import { loadTransformersPackage, type TransformersPackage } from '../load-package.ts';

/** The findings of a detector, and the place of each word's scores. */
export interface ZeroShotOutputs extends DetrOutputs {
  readonly spans: readonly TokenSpan[];
  /** Boxes are shares of it. */
  readonly frame: Size;
}

/** A detector that is asked in words. */
export interface ZeroShotModel {
  /** @param pixels `[height × width × 3]` */
  find(pixels: Uint8Array, size: Size, words: readonly string[]): Promise<ZeroShotOutputs>;
  release(): Promise<void>;
}

interface Parts {
  readonly model: PreTrainedModel;
  readonly tokenizer: PreTrainedTokenizer;
  readonly toPixelValues: (image: RawImage) => Promise<Readonly<Record<string, Tensor>>>;
  readonly transformers: TransformersPackage;
}

const families: Readonly<Record<string, (parts: Parts) => ZeroShotModel['find']>> = {
  owlvit: (parts) => findByQueries(parts, { isSquare: false }),
  owlv2: (parts) => findByQueries(parts, { isSquare: true }),
  'grounding-dino': findByPrompt,
};

/**
 * Loads the model of a folder.
 *
 * @throws InferenceError `invalid_request` for an architecture that is not known here, and for files that can't be
 * loaded
 */
export async function loadZeroShotModel(path: string, spec: ModelSpec): Promise<ZeroShotModel> {
  const transformers = await loadTransformersPackage();
  const { model_type: given } = await readJson(path, 'config.json');
  const family = String(given);
  const create = Object.hasOwn(families, family) ? families[family]! : undefined;
  if (!create) {
    const known = Object.keys(families).join(', ');
    throw sourceError(
      `expected a detector that is asked in words, with a model_type in ${known}, got ${quote(family)}; onnx() runs those with classes of their own`,
    );
  }
  const options = toLoadOptions(path, spec);
  return loadPart(async () => {
    const local = { local_files_only: true };
    const tokenizer = await transformers.AutoTokenizer.from_pretrained(path, local);
    const processor = await transformers.AutoImageProcessor.from_pretrained(path, local);
    const model = await transformers.AutoModelForZeroShotObjectDetection.from_pretrained(path, options);
    const toPixelValues = async (image: RawImage) =>
      (await (processor as unknown as (images: readonly RawImage[]) => Promise<object>)([image])) as Readonly<
        Record<string, Tensor>
      >;
    return {
      find: create({ model, tokenizer, toPixelValues, transformers }),
      async release() {
        await model.dispose();
      },
    };
  });
}

/** The grey that OWLv2 fills a picture up with. */
const grey = 128;

/** OWL-ViT: each word is a query of its own. */
function findByQueries(
  { model, tokenizer, toPixelValues, transformers }: Parts,
  { isSquare }: { readonly isSquare: boolean },
): ZeroShotModel['find'] {
  return async (pixels, size, words) => {
    const side = Math.max(size.width, size.height);
    const frame = isSquare ? { width: side, height: side } : size;
    const framed = isSquare ? padded(pixels, size, side) : pixels;
    const image = new transformers.RawImage(framed, frame.width, frame.height, 3);
    const texts = tokenizer([...words], { padding: 'max_length', truncation: true }) as Record<
      string,
      Tensor
    >;
    const { pixel_values: pixelValues } = await toPixelValues(image);
    const outputs = (await model({ ...texts, pixel_values: pixelValues })) as Record<string, Tensor>;
    return { ...readOutputs(outputs), spans: words.map((_, id) => [id, id + 1]), frame };
  };
}

/** Grounding DINO: all words in one prompt, each ended by a full stop. */
function findByPrompt({ model, tokenizer, toPixelValues, transformers }: Parts): ZeroShotModel['find'] {
  return async (pixels, size, words) => {
    const phrases = words.map((word) => `${word.toLowerCase().replace(/[.\s]+$/, '')}.`);
    const encoded = tokenizer(phrases.join(' ')) as Record<string, Tensor>;
    const image = new transformers.RawImage(pixels, size.width, size.height, 3);
    const outputs = (await model({ ...encoded, ...(await toPixelValues(image)) })) as Record<string, Tensor>;
    // One token comes before the words.
    let start = 1;
    const spans = phrases.map((phrase): TokenSpan => {
      const { length } = tokenizer.encode(phrase, { add_special_tokens: false });
      const span: TokenSpan = [start, start + length - 1];
      start += length;
      return span;
    });
    return { ...readOutputs(outputs), spans, frame: size };
  };
}

function readOutputs(outputs: Readonly<Record<string, Tensor>>): DetrOutputs {
  return { logits: toHeadOutput(outputs['logits']!), boxes: toHeadOutput(outputs['pred_boxes']!) };
}

function toHeadOutput(tensor: Tensor): HeadOutput {
  return { data: tensor.to('float32').data as Float32Array, dims: tensor.dims };
}

/** Fills a picture up to a square, at the right and at the bottom. */
function padded(pixels: Uint8Array, { width, height }: Size, side: number): Uint8Array {
  const square = new Uint8Array(side * side * 3).fill(grey);
  for (let row = 0; row < height; row++) {
    square.set(pixels.subarray(row * width * 3, (row + 1) * width * 3), row * side * 3);
  }
  return square;
}
