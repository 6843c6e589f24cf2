import { createHash } from 'node:crypto';
import { limitConcurrency } from '../../../../concurrency/limit-concurrency.ts';
import {
  picturesOf,
  type ChatMessage,
  type MessageContent,
  type PlacedPicture,
} from '../../../../core/chat/messages.ts';
import { float16ToFloat32Into, float32ToFloat16Into } from '../../../../core/math/float16.ts';
import {
  resized,
  type EncoderInput,
  type Picture,
  type PreparedPicture,
  type VisionFamily,
} from '../../../../core/vision/families/family.ts';
import { assertWanted, fieldError, inField, renameFields } from '../../../../errors.ts';
import type { Session, Tensor } from '../../../../contracts/graph.ts';
import { openImage } from '../../../../runtime/image.ts';
import { readImageSource } from '../../../../runtime/image-source.ts';
import type { PipelineRunOptions } from '../../../../contracts/run.ts';
import type { ChatSettings } from '../../settings.ts';
import type { EncodedPicture, PictureTable } from './picture-table.ts';

export interface ReadyPicture {
  readonly encoded: EncodedPicture;
  readonly text: string;
}

type PictureSettings = Pick<ChatSettings, 'imageFetch' | 'maxImages' | 'maxPixels' | 'maxSide'>;

const defaultMaxImages = 16;
/** Max pixels of the longer side with `detail: "low"`. */
const lowDetailSide = 512;

interface VisionParts {
  readonly family: VisionFamily;
  /** Token id of an image row's placeholder. */
  readonly token: number;
  readonly table: PictureTable;
  readonly settings: PictureSettings;
}

export function createVisionModel(session: Session, { family, token, table, settings }: VisionParts) {
  const texts = new WeakMap<EncodedPicture, string>();
  /** Decoding a large image takes up to 640 MB, and the encoder uses all threads. */
  const oneByOne = limitConcurrency(1);
  const releasePictures = (pictures: readonly ReadyPicture[]): void => {
    for (const { encoded } of pictures) table.release(encoded);
  };
  const encode = async (bytes: Uint8Array, { detail, place }: PlacedPicture): Promise<ReadyPicture> => {
    const key = `${createHash('sha256').update(bytes).digest('base64')} ${detail === 'low' ? 'low' : 'high'}`;
    const known = table.borrow(key);
    if (known) return { encoded: known, text: texts.get(known)! };
    const prepared = await named(place, async () => {
      const picture = await decode(bytes, detail, settings);
      return inField('image', () => family.prepare(picture));
    });
    const embeddings = await embed(prepared, session);
    const encoded = table.add(key, embeddings, prepared.grid);
    texts.set(encoded, prepared.text);
    return { encoded, text: prepared.text };
  };
  return {
    family,
    token,
    /** The images of a conversation, borrowed until `releasePictures`. */
    async read(
      messages: readonly ChatMessage<MessageContent>[],
      { signal, owner }: PipelineRunOptions = {},
    ): Promise<readonly ReadyPicture[]> {
      assertNoMarkers(messages, family);
      const placed = picturesOf(messages);
      const { maxImages = defaultMaxImages, imageFetch } = settings;
      if (placed.length > maxImages)
        throw fieldError(placed[maxImages]!.place, `expected at most ${maxImages} pictures in all messages`);
      const ready: ReadyPicture[] = [];
      try {
        const files = await Promise.all(
          placed.map(({ image, place }) =>
            named(place, () => readImageSource(image, { fetch: imageFetch, signal })),
          ),
        );
        for (const [index, bytes] of files.entries()) {
          assertWanted(signal);
          ready.push(await oneByOne(() => encode(bytes, placed[index]!), { owner }));
        }
        return ready;
      } catch (error) {
        releasePictures(ready);
        throw error;
      }
    },
    releasePictures,
    release: () => session.release(),
  };
}

/** Text with image tokens would be taken for an image. */
function assertNoMarkers(
  messages: readonly ChatMessage<MessageContent>[],
  { placeholder, pictureToken }: VisionFamily,
): void {
  for (const [index, { content }] of messages.entries()) {
    const texts =
      typeof content === 'string'
        ? [content]
        : (content ?? []).flatMap((part) => (part.type === 'text' ? part.text : []));
    const marker = [placeholder, pictureToken].find((one) => texts.some((text) => text.includes(one)));
    if (marker !== undefined)
      throw fieldError(`messages[${index}].content`, `expected no ${marker} in a text`);
  }
}

async function decode(
  bytes: Uint8Array,
  detail: PlacedPicture['detail'],
  settings: PictureSettings,
): Promise<Picture> {
  const { width, height, toPixels } = await openImage(bytes, settings);
  const picture = { width, height, pixels: await toPixels({ width, height }) };
  const shrink = lowDetailSide / Math.max(width, height);
  if (detail !== 'low' || shrink >= 1) return picture;
  const side = (length: number): number => Math.max(1, Math.round(length * shrink));
  return resized(picture, { width: side(width), height: side(height) }, 'bicubic');
}

/** @returns `[length × hiddenSize]` */
async function embed({ inputs, length }: PreparedPicture, session: Session): Promise<Float32Array> {
  const feeds: Record<string, Tensor> = {};
  for (const { name, type } of session.inputs) {
    const input = inputs[name];
    if (!input) throw fieldError('source', `the vision encoder has the unknown input ${name}`);
    feeds[name] = toTensor(input, type);
  }
  const output = session.outputs[0]!.name;
  const { type, dims, data } = (await session.run(feeds, [output]))[output]!;
  const rows = data.length / dims.at(-1)!;
  if (rows !== length) throw new RangeError(`vision encoder: expected ${length} rows, got ${rows}`);
  if (type !== 'float16') return data as Float32Array;
  return float16ToFloat32Into(new Float32Array(data.length), data as Uint16Array);
}

function toTensor(input: EncoderInput, type: Tensor['type']): Tensor {
  if (type !== 'float16' || input.type !== 'float32') return input;
  const data = float32ToFloat16Into(new Uint16Array(input.data.length), input.data);
  return { type, dims: input.dims, data };
}

/** Renames an error's field `image` to the message part. */
async function named<T>(place: string, task: () => Promise<T>): Promise<T> {
  return task().catch((error: unknown) => {
    throw renameFields(error, (field) => (field === 'image' ? place : field));
  });
}
