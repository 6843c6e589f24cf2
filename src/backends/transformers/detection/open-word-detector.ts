import { join } from 'node:path';
import type { PreTrainedModel, PreTrainedTokenizer, Tensor } from '@huggingface/transformers';
import type { ModelSpec } from '../../../contracts/model.ts';
import type { Detector } from '../../../categories/detection/detector.ts';
import type { DetectionSettings } from '../../../categories/detection/settings.ts';
import { limitConcurrency } from '../../../concurrency/limit-concurrency.ts';
import type { Size } from '../../../core/vision/box.ts';
import { limitEdges } from '../../../core/vision/edge-limits.ts';
import type { DetrOutputs } from '../../../core/vision/heads/detr.ts';
import { decodeGroundedInto, type TokenSpan } from '../../../core/vision/heads/grounded.ts';
import type { HeadOutput } from '../../../core/vision/heads/head.ts';
import { stretch } from '../../../core/vision/letterbox.ts';
import { assertWanted, fieldError } from '../../../errors.ts';
import { readChangeTime } from '../../../folder/model-folder.ts';
import { disposerOf, loadPictureReader, localOnly, openFolder, type ReadPicture } from '../load-options.ts';

/** Larger pictures are downscaled first: the models read less. */
const maxSide = 1536;
/** OWLv2's grey padding. */
const grey = 128;

/** The output of a model, and the index of each word's scores. */
interface Findings extends DetrOutputs {
  readonly spans: readonly TokenSpan[];
  /** Boxes are relative to it. */
  readonly frame: Size;
}

interface Parts {
  readonly model: PreTrainedModel;
  readonly tokenizer: PreTrainedTokenizer;
  readonly read: ReadPicture;
}

/** @param pixels `[height × width × 3]` */
type Find = (pixels: Uint8Array, size: Size, words: readonly string[]) => Promise<Findings>;

/** Opens an OWL-ViT or OWLv2: each word is a separate query. */
export function openOwl(spec: ModelSpec<DetectionSettings>): Promise<Detector> {
  return openDetector(spec, ({ model, tokenizer, read }) => {
    const { model_type: type } = model.config as { readonly model_type?: unknown };
    return async (pixels, size, words) => {
      const side = Math.max(size.width, size.height);
      const isSquare = type === 'owlv2';
      const frame = isSquare ? { width: side, height: side } : size;
      const framed = isSquare ? padded(pixels, size, side) : pixels;
      const texts = tokenizer([...words], { padding: 'max_length', truncation: true }) as object;
      const { pixel_values: pixelValues } = await read(framed, frame);
      const outputs = (await model({ ...texts, pixel_values: pixelValues })) as Record<string, Tensor>;
      return { ...readOutputs(outputs), spans: words.map((_, id) => [id, id + 1]), frame };
    };
  });
}

/** Opens a Grounding DINO: all words are in one prompt, each followed by a full stop. */
export function openGroundingDino(spec: ModelSpec<DetectionSettings>): Promise<Detector> {
  return openDetector(spec, ({ model, tokenizer, read }) => async (pixels, size, words) => {
    const phrases = words.map((word) => `${word.toLowerCase().replace(/[.\s]+$/, '')}.`);
    const encoded = tokenizer(phrases.join(' ')) as object;
    const inputs = { ...encoded, ...(await read(pixels, size)) };
    const outputs = (await model(inputs)) as Record<string, Tensor>;
    // The words follow one token.
    let start = 1;
    const spans = phrases.map((phrase): TokenSpan => {
      const { length } = tokenizer.encode(phrase, { add_special_tokens: false });
      const span: TokenSpan = [start, start + length - 1];
      start += length;
      return span;
    });
    return { ...readOutputs(outputs), spans, frame: size };
  });
}

async function openDetector(
  spec: ModelSpec<DetectionSettings>,
  createFind: (parts: Parts) => Find,
): Promise<Detector> {
  if (typeof spec.classNames === 'string') throw fieldError('classNames', 'expected a list of words');
  const inTurn = limitConcurrency(1);
  return openFolder(spec, async (folder) => {
    const { path, options, transformers } = folder;
    const created = await readChangeTime(join(path, 'config.json'));
    const tokenizer = await transformers.AutoTokenizer.from_pretrained(path, localOnly);
    const read = await loadPictureReader(folder);
    const model = await transformers.AutoModelForZeroShotObjectDetection.from_pretrained(path, options);
    const find = createFind({ model, tokenizer, read });
    return {
      classNames: undefined,
      imageSizes: undefined,
      picksBoxes: true,
      created,
      layOut(image) {
        const input = limitEdges(image, maxSide);
        return { input, placement: stretch(input) };
      },
      run: ({ pixels, input, classNames }, { signal }) =>
        inTurn(async () => {
          assertWanted(signal);
          const { spans, frame, ...outputs } = await find(pixels, input, classNames);
          return (candidates, { confidence }) =>
            decodeGroundedInto(candidates, outputs, { spans, confidence, input: frame });
        }),
      release: disposerOf(model),
    };
  });
}

function readOutputs(outputs: Readonly<Record<string, Tensor>>): DetrOutputs {
  return { logits: toHeadOutput(outputs['logits']!), boxes: toHeadOutput(outputs['pred_boxes']!) };
}

function toHeadOutput(tensor: Tensor): HeadOutput {
  return { data: tensor.to('float32').data as Float32Array, dims: tensor.dims };
}

/** Pads a picture to a square, at the right and at the bottom. */
function padded(pixels: Uint8Array, { width, height }: Size, side: number): Uint8Array {
  const square = new Uint8Array(side * side * 3).fill(grey);
  for (let row = 0; row < height; row++)
    square.set(pixels.subarray(row * width * 3, (row + 1) * width * 3), row * side * 3);
  return square;
}
