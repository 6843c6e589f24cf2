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
import { assertWanted, fieldError, inField, InferenceError } from '../../../../errors.ts';
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
/** Pixels of the longer side with `detail: "low"`. */
const lowDetailSide = 512;

/** Turns the pictures of requests into embeddings: fetched, decoded, resized and encoded, each once while it is kept. */
export class VisionModel {
  readonly family: VisionFamily;
  /** Id of the token that stands for a row of a picture. */
  readonly token: number;
  readonly #session: Session;
  readonly #table: PictureTable;
  readonly #settings: PictureSettings;
  readonly #texts = new WeakMap<EncodedPicture, string>();
  /** A large picture takes up to 640 MB while it is decoded, and the encoder uses all threads. */
  readonly #oneByOne = limitConcurrency(1);

  constructor(
    session: Session,
    parts: {
      readonly family: VisionFamily;
      readonly token: number;
      readonly table: PictureTable;
      readonly settings: PictureSettings;
    },
  ) {
    this.#session = session;
    this.family = parts.family;
    this.token = parts.token;
    this.#table = parts.table;
    this.#settings = parts.settings;
  }

  /** The pictures of a conversation, lent until `giveBack`. */
  async read(
    messages: readonly ChatMessage<MessageContent>[],
    { signal, owner }: PipelineRunOptions = {},
  ): Promise<readonly ReadyPicture[]> {
    this.#assertNoMarkers(messages);
    const placed = picturesOf(messages);
    const { maxImages = defaultMaxImages } = this.#settings;
    if (placed.length > maxImages)
      throw fieldError(placed[maxImages]!.place, `expected at most ${maxImages} pictures in all messages`);
    const ready: ReadyPicture[] = [];
    try {
      const files = await Promise.all(placed.map((picture) => this.#fetch(picture, signal)));
      for (const [index, bytes] of files.entries()) {
        assertWanted(signal);
        ready.push(await this.#oneByOne(() => this.#encode(bytes, placed[index]!), { owner }));
      }
      return ready;
    } catch (error) {
      this.giveBack(ready);
      throw error;
    }
  }

  giveBack(pictures: readonly ReadyPicture[]): void {
    for (const { encoded } of pictures) this.#table.giveBack(encoded);
  }

  release(): Promise<void> {
    return this.#session.release();
  }

  /** A text with the tokens of pictures would be taken for a picture. */
  #assertNoMarkers(messages: readonly ChatMessage<MessageContent>[]): void {
    const { placeholder, pictureToken } = this.family;
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

  async #fetch({ image, place }: PlacedPicture, signal: AbortSignal | undefined): Promise<Uint8Array> {
    return named(place, () => readImageSource(image, { fetch: this.#settings.imageFetch, signal }));
  }

  async #encode(bytes: Uint8Array, { detail, place }: PlacedPicture): Promise<ReadyPicture> {
    const key = `${createHash('sha256').update(bytes).digest('base64')} ${detail === 'low' ? 'low' : 'high'}`;
    const known = this.#table.borrow(key);
    if (known) return { encoded: known, text: this.#texts.get(known)! };
    const prepared = await named(place, async () => {
      const picture = await this.#decode(bytes, detail);
      return inField('image', () => this.family.prepare(picture));
    });
    const embeddings = await this.#run(prepared);
    const encoded = this.#table.add(key, embeddings, prepared.grid);
    this.#texts.set(encoded, prepared.text);
    return { encoded, text: prepared.text };
  }

  async #decode(bytes: Uint8Array, detail: PlacedPicture['detail']): Promise<Picture> {
    const { width, height, toPixels } = await openImage(bytes, this.#settings);
    const picture = { width, height, pixels: await toPixels({ width, height }) };
    const shrink = lowDetailSide / Math.max(width, height);
    if (detail !== 'low' || shrink >= 1) return picture;
    const side = (length: number): number => Math.max(1, Math.round(length * shrink));
    return resized(picture, { width: side(width), height: side(height) }, 'bicubic');
  }

  /** @returns `[length × hiddenSize]` */
  async #run({ inputs, length }: PreparedPicture): Promise<Float32Array> {
    const feeds: Record<string, Tensor> = {};
    for (const { name, type } of this.#session.inputs) {
      const input = inputs[name];
      if (!input) throw fieldError('source', `the vision encoder has the unknown input ${name}`);
      feeds[name] = toTensor(input, type);
    }
    const output = this.#session.outputs[0]!.name;
    const { type, dims, data } = (await this.#session.run(feeds, [output]))[output]!;
    const rows = data.length / dims.at(-1)!;
    if (rows !== length) throw new RangeError(`vision encoder: expected ${length} rows, got ${rows}`);
    if (type !== 'float16') return data as Float32Array;
    return float16ToFloat32Into(new Float32Array(data.length), data as Uint16Array);
  }
}

function toTensor(input: EncoderInput, type: Tensor['type']): Tensor {
  if (type !== 'float16' || input.type !== 'float32') return input;
  const data = float32ToFloat16Into(new Uint16Array(input.data.length), input.data);
  return { type, dims: input.dims, data };
}

/** Moves a fault of an image to the part of the message that has it. */
async function named<T>(place: string, task: () => Promise<T>): Promise<T> {
  try {
    return await task();
  } catch (error) {
    if (!InferenceError.isInstance(error) || error.param !== 'image') throw error;
    throw fieldError(place, error.message.replace(/^image: /, ''), { code: error.code, cause: error });
  }
}
