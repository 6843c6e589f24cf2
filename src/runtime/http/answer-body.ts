import { concatenate } from '../../core/audio/containers/reading.ts';
import type { AnswerClock } from './answer-clock.ts';

/** The part of `Response` that is used of answers. */
export interface HttpAnswer extends Pick<Response, 'ok' | 'status' | 'headers'> {
  readonly body: AnswerBody | null;
}

export interface AnswerBody {
  getReader(): { read(): Promise<IteratorResult<Uint8Array, unknown>>; cancel(): Promise<void> };
  cancel(): Promise<void>;
}

/** Limits of size and time for an answer. */
export interface BodyOptions {
  readonly signal?: AbortSignal | undefined;
  /** In place of `signal`. */
  readonly clock?: AnswerClock | undefined;
  /** Unpacked; default any number. */
  readonly maxBytes?: number | undefined;
}

export interface WholeOptions extends BodyOptions {
  /** Bytes after which no more are read; default: all are. */
  readonly enough?: number | undefined;
}

/**
 * The bytes of an answer as they come. Ends the answer over there when it is left and when the signal aborts, which `fetch` may
 * lose when garbage is collected in the middle of an answer.
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
  // Memory of its own, so that numbers can be viewed in it; `Buffer.concat` gives parts of a pool.
  return concatenate(pieces);
}

export async function readText(response: HttpAnswer, options: BodyOptions = {}): Promise<string> {
  return new TextDecoder().decode(await readWhole(response, options));
}

/** The beginning of an answer, for those who quote it. */
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
    // What came before is worth more than nothing.
  }
  return text;
}
