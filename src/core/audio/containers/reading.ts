/** Bytes of a file that a parser requests; the answer is shorter if the file ends first. */
export interface ByteRange {
  /** From the beginning of the file. */
  readonly offset: number;
  readonly length: number;
}

/** A parser without I/O: it yields the range that it needs next and receives the bytes, which must not change. */
export type Reading<T> = Generator<ByteRange, T, Uint8Array>;

/** Runs a parser on a file in memory. */
export function performOn<T>(file: Uint8Array, reading: Reading<T>): T {
  let step = reading.next();
  while (step.done !== true) {
    const { offset, length } = step.value;
    step = reading.next(file.subarray(offset, Math.max(offset, offset + length)));
  }
  return step.value;
}

/**
 * A malformed file, or a file that uses an unsupported feature. The message names the problem as a noun phrase:
 * `a WAV file without samples`.
 */
export class ContainerError extends RangeError {
  override readonly name = 'ContainerError';
}

/** A file of a known format that only ffmpeg can decode, if installed. */
export class ForeignAudio extends ContainerError {
  /** The format by ffmpeg's name. */
  readonly demuxer: string;

  constructor(kind: string, demuxer: string) {
    super(kind);
    this.demuxer = demuxer;
  }
}

export function toDataView(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Bytes as text, one character per byte. */
export function toLatin1(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes);
}

export function fromLatin1(text: string): Uint8Array {
  return Uint8Array.from(text, (letter) => letter.charCodeAt(0));
}

const scanBytes = 2 ** 15;

/** The first offset at or after `from` at which the mark occurs. */
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
