import { open } from 'node:fs/promises';
import type { Reading } from '../../core/audio/containers/reading.ts';
import { fieldError } from '../../errors.ts';
import { yieldToEventLoop } from './yield-to-event-loop.ts';

/** An open file, of which only a small window is in memory. */
export type ByteSource = Awaited<ReturnType<typeof openByteSource>>;

const windowBytes = 2 ** 16;

/** Opens the bytes of an audio file, or the file at a path. Yields to the event loop at least once per 64 KiB. */
export async function openByteSource(source: AudioSource, signal?: AbortSignal) {
  const { size, load, close } =
    source instanceof Uint8Array ? openBytes(source) : await openFile(source.path);
  let start = 0;
  let window = new Uint8Array(0);

  const isLoaded = (offset: number, end: number) => offset >= start && end <= start + window.length;
  const view = (offset: number, end: number) => window.subarray(offset - start, end - start);

  /** The bytes of a range, fewer at the end of the file; must not be modified. */
  async function read(offset: number, length: number): Promise<Uint8Array> {
    const end = Math.min(offset + length, size);
    if (end <= offset) return new Uint8Array(0);
    if (!isLoaded(offset, end)) {
      await yieldToEventLoop(signal);
      window = await load(offset, Math.min(Math.max(length, windowBytes), size - offset));
      start = offset;
    }
    return view(offset, Math.min(end, start + window.length));
  }

  return {
    size,
    path: source instanceof Uint8Array ? undefined : source.path,
    read,
    /** Runs a parser with the bytes that it requests. */
    async perform<T>(reading: Reading<T>): Promise<T> {
      let step = reading.next();
      while (step.done !== true) {
        const { offset, length } = step.value;
        const end = Math.min(offset + length, size);
        step = reading.next(
          offset < end && isLoaded(offset, end) ? view(offset, end) : await read(offset, length),
        );
      }
      return step.value;
    },
    close,
  };
}

interface Bytes {
  readonly size: number;
  load(offset: number, length: number): Promise<Uint8Array<ArrayBuffer>>;
  close(): Promise<void>;
}

function openBytes(bytes: Uint8Array): Bytes {
  return {
    size: bytes.length,
    load: async (offset, length) =>
      new Uint8Array(bytes.buffer as ArrayBuffer, bytes.byteOffset + offset, length),
    close: async () => {},
  };
}

async function openFile(path: string): Promise<Bytes> {
  try {
    const file = await open(path);
    const stats = await file.stat();
    if (!stats.isFile()) {
      await file.close();
      throw new TypeError('path: expected a file');
    }
    const { size } = stats;
    return {
      size,
      async load(offset, length) {
        const buffer = new Uint8Array(length);
        const { bytesRead } = await file.read(buffer, 0, length, offset);
        return buffer.subarray(0, bytesRead);
      },
      close: () => file.close(),
    };
  } catch (error) {
    throw fieldError('file', 'the file cannot be opened', { cause: error });
  }
}

export type AudioSource = Uint8Array | { readonly path: string };
