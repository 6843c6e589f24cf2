/** Bytes of a file that a parser asks for; the answer is shorter where the file ends before. */
export interface ByteRange {
  /** From the beginning of the file. */
  readonly offset: number;
  readonly length: number;
}

/**
 * A parser that does no input by itself: it yields the range that it needs next, and is given the bytes, which stay as they
 * are.
 */
export type Reading<T> = Generator<ByteRange, T, Uint8Array>;

/** Gives a parser the bytes that it asks for out of a file that is in memory. */
export function performOn<T>(file: Uint8Array, reading: Reading<T>): T {
  let step = reading.next();
  while (step.done !== true) {
    const { offset, length } = step.value;
    step = reading.next(file.subarray(offset, Math.max(offset, offset + length)));
  }
  return step.value;
}

/**
 * A file that isn't as its format wants it, or uses what isn't read here. The message names what was found, to be
 * completed to a sentence: `a WAV file without samples`.
 */
export class ContainerError extends RangeError {
  override readonly name = 'ContainerError';
}

/** A file of a known kind that is decoded only by ffmpeg, where that is installed. */
export class ForeignAudio extends ContainerError {
  /** The kind as ffmpeg calls it. */
  readonly demuxer: string;

  constructor(kind: string, demuxer: string) {
    super(kind);
    this.demuxer = demuxer;
  }
}

/** A view of bytes for reading numbers of several bytes. */
export function toDataView(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Bytes as text, one character each. */
export function toLatin1(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes);
}

/** One byte for each letter. */
export function fromLatin1(text: string): Uint8Array {
  return Uint8Array.from(text, (letter) => letter.charCodeAt(0));
}

const scanBytes = 2 ** 15;

/** The first place at or after `from` at which the bytes of a mark are. */
export function* findMark(mark: readonly number[], from: number): Reading<number | undefined> {
  for (let start = from; ; start += scanBytes) {
    const bytes: Uint8Array = yield { offset: start, length: scanBytes + mark.length - 1 };
    for (let at = bytes.indexOf(mark[0]!); at !== -1; at = bytes.indexOf(mark[0]!, at + 1)) {
      if (mark.every((byte, index) => bytes[at + index] === byte)) return start + at;
    }
    if (bytes.length < scanBytes) return undefined;
  }
}

export function concatenate(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
