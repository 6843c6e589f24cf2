import { StringDecoder } from 'node:string_decoder';
import { concatenate } from '../../core/audio/containers/reading.ts';
import type { AnswerClock } from './answer-clock.ts';
import { JsonCounter } from '../../core/text/json-counter.ts';
import { orThrow } from '../../errors.ts';

/** The used part of `Response`. */
export interface HttpAnswer extends Pick<Response, 'ok' | 'status' | 'headers'> {
  readonly body: AnswerBody | null;
}

export interface AnswerBody {
  getReader(): { read(): Promise<IteratorResult<Uint8Array, unknown>>; cancel(): Promise<void> };
  cancel(): Promise<void>;
}

export interface BodyOptions {
  readonly signal?: AbortSignal | undefined;
  /** Replaces `signal`. */
  readonly clock?: AnswerClock | undefined;
  /** After decompression; default: no limit. */
  readonly maxBytes?: number | undefined;
}

export interface WholeOptions extends BodyOptions {
  /** Stops reading after this many bytes; default: reads all. */
  readonly enough?: number | undefined;
}

/**
 * The bytes of a response as they arrive. Aborts the response when the reader stops and when the signal aborts, which
 * `fetch` may miss after a garbage collection during the response.
 */
export async function* readBytes(
  { body }: HttpAnswer,
  { clock, signal = clock?.signal, maxBytes = Infinity }: BodyOptions = {},
): AsyncGenerator<Uint8Array> {
  if (!body) return;
  const reader = body.getReader();
  const read = () => reader.read();
  let isLeft = false;
  const cancel = (): void => {
    isLeft = true;
    reader.cancel().catch(() => {});
  };
  signal?.addEventListener('abort', cancel);
  try {
    signal?.throwIfAborted();
    for (let received = 0; ;) {
      const { done, value } = await (clock ? clock.wait(read) : read());
      if (isLeft) signal?.throwIfAborted();
      if (done) return;
      clock?.tick();
      received += value.byteLength;
      if (received > maxBytes) throw new RangeError(`more than ${maxBytes} bytes`);
      yield value;
    }
  } catch (error) {
    if (isLeft) signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener('abort', cancel);
    clock?.stop();
    cancel();
  }
}

export async function readWhole(
  response: HttpAnswer,
  { enough = Infinity, ...options }: WholeOptions = {},
): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const bytes of readBytes(response, options)) {
    pieces.push(bytes);
    size += bytes.byteLength;
    if (size >= enough) break;
  }
  // Separate memory, so that it can be viewed as numbers; `Buffer.concat` may return a part of a pool.
  return concatenate(pieces);
}

export async function readText(response: HttpAnswer, options: BodyOptions = {}): Promise<string> {
  return new TextDecoder().decode(await readWhole(response, options));
}

/** Decodes UTF-8 in pieces, and drops a byte order mark. Unlike a `TextDecoder`, it keeps ASCII at one byte per character. */
export function createDecoder(): (bytes: Uint8Array) => string {
  const decoder = new StringDecoder();
  let hasText = false;
  return (bytes) => {
    const text = decoder.write(bytes);
    if (hasText || text === '') return text;
    hasText = true;
    return text.replace(/^\uFEFF/, '');
  };
}

/** The beginning of a response, for quoting. */
export async function readBeginning(
  response: HttpAnswer,
  { maxBytes, ...options }: BodyOptions & { readonly maxBytes: number },
): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let received = 0;
  try {
    for await (const bytes of readBytes(response, options)) {
      text += decoder.decode(bytes, { stream: true });
      received += bytes.byteLength;
      if (received >= maxBytes) break;
    }
  } catch {
    // A partial text is better than none at all.
  }
  return text;
}

/** Maximum nesting of a response; a deeper one would block this process. */
const maxLevels = 128;

/** Parses a server's JSON. Errors don't quote it. */
export function parseAnswer(text: string): unknown {
  // Each level takes two characters.
  if (text.length > 2 * maxLevels && levelsOf(text) > maxLevels)
    throw new Error(`it is nested more than ${maxLevels} levels deep`);
  return orThrow<unknown>(
    () => JSON.parse(text),
    (cause) => new Error('it is not JSON', { cause }),
  );
}

function levelsOf(text: string): number {
  const counter = new JsonCounter();
  counter.push(Buffer.from(text));
  return counter.depth;
}
