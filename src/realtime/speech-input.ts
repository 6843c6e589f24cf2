import { Buffer } from 'node:buffer';
import { bytesPerSample, toSamples } from '../core/audio/containers/pcm-samples.ts';
import { writeWavHeader } from '../core/audio/containers/wav-header.ts';
import { createTurnDetector, detectionSeconds, type TurnDetector } from '../core/audio/turn-detector.ts';
import { fieldError } from '../errors.ts';
import { encodingOf, isSameFormat, sampleRateOf, type Configuration } from './listening.ts';
import type { AudioFormat } from './protocol.ts';

const minCapacity = 2 ** 14;

/** The latest bytes of a long stream; positions count from its beginning. */
export class AudioBuffer {
  #bytes = new Uint8Array(minCapacity);
  /** Position of the first byte that is kept. */
  start = 0;
  length = 0;

  get end(): number {
    return this.start + this.length;
  }

  /** Bytes of memory: at most four times the kept bytes, above the minimum. */
  get capacity(): number {
    return this.#bytes.length;
  }

  append(bytes: Uint8Array): void {
    const length = this.length + bytes.length;
    if (length > this.capacity) this.#resize(Math.max(length, 2 * this.capacity));
    this.#bytes.set(bytes, this.length);
    this.length = length;
  }

  /** @returns a copy */
  slice(start: number, end: number): Uint8Array {
    return this.#bytes.slice(start - this.start, end - this.start);
  }

  drop(before: number): void {
    const count = Math.min(before, this.end) - this.start;
    if (count <= 0) return;
    this.#bytes.copyWithin(0, count, this.length);
    this.start += count;
    this.length -= count;
    const enough = Math.max(minCapacity, 2 * this.length);
    if (this.capacity > 2 * enough) this.#resize(enough);
  }

  #resize(capacity: number): void {
    const bytes = new Uint8Array(capacity);
    bytes.set(this.#bytes.subarray(0, this.length));
    this.#bytes = bytes;
  }
}

export interface SpokenAudio {
  /** Its end, in milliseconds from the beginning of the session. */
  readonly endMs: number;
  /** As a WAV file. */
  readonly file: Uint8Array;
  readonly bytes: number;
  /** Position of the end of its last sound, if turns are detected. */
  readonly soundEnd?: number | undefined;
}

export type SpeechChange =
  | { readonly type: 'start'; readonly startMs: number }
  | { readonly type: 'end'; readonly audio: SpokenAudio };

const base64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** @throws InferenceError for anything but whole samples in base64 */
export function readAudio(text: string, sampleBytes: number): Uint8Array {
  if (text.length % 4 !== 0 || !base64.test(text))
    throw fieldError('audio', 'expected audio in base64, with its padding');
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length % sampleBytes === 0) return bytes;
  throw fieldError('audio', `expected whole samples of ${sampleBytes} bytes, got ${bytes.length} bytes`);
}

/** Samples as a WAV file. */
export function toRecording(samples: Uint8Array, format: AudioFormat): Uint8Array {
  const sound = { encoding: encodingOf(format), sampleRateHz: sampleRateOf(format) };
  return Buffer.concat([writeWavHeader({ ...sound, dataBytes: samples.length }), samples]);
}

type Listening = Pick<Configuration, 'format' | 'turns'>;

/** Buffers the client's audio until its utterances are complete. */
export class SpeechInput {
  readonly #buffer = new AudioBuffer();
  #listening: Listening;
  #detector: TurnDetector | undefined;
  /** Position at which the detector's stream begins. */
  #detectorStart = 0;
  /** Position at which the speech has begun. */
  #speechStart: number | undefined;

  constructor(begun: Listening) {
    this.#listening = begun;
    this.#listen(begun);
  }

  /** Bytes that wait. */
  length(): number {
    return this.#buffer.length;
  }

  isSpeech(): boolean {
    return this.#speechStart !== undefined;
  }

  /** Duration of the speech, or of all waiting audio if there is no speech. */
  durationMs(): number {
    return this.#millisecondsOf(this.#buffer.end - this.#start());
  }

  /**
   * @returns whether it has restarted because of a new format or new turn settings
   * @throws InferenceError for a change of the format after the first audio
   */
  configure(after: Listening, formatField: string): boolean {
    const { format, turns } = this.#listening;
    const isSame = isSameFormat(format, after.format);
    if (!isSame && this.#buffer.end > 0) throw fieldError(formatField, 'expected it before the first audio');
    if (isSame && after.turns === turns) return false;
    this.#listen(after);
    return true;
  }

  /** @param bytes whole samples, any number */
  append(bytes: Uint8Array): SpeechChange[] {
    this.#buffer.append(bytes);
    const { turns, format } = this.#listening;
    if (!this.#detector || !turns) return [];
    const [samples] = toSamples(bytes, { encoding: encodingOf(format), channels: 1 });
    const changes = this.#detector.push(samples!).map(({ type, sample, soundEnd }): SpeechChange => {
      const position = this.#positionOf(sample);
      if (type === 'end') return { type, audio: this.#endSpeech(position, this.#positionOf(soundEnd!)) };
      this.#speechStart = Math.max(this.#buffer.start, position - this.#bytesOf(turns.prefixPaddingMs));
      return { type, startMs: this.#millisecondsOf(this.#speechStart) };
    });
    if (this.#speechStart === undefined)
      this.#buffer.drop(this.#buffer.end - this.#bytesOf(turns.prefixPaddingMs + 1000 * detectionSeconds));
    return changes;
  }

  /** Position of the end of the last sound, if speech has paused; undefined while it continues. */
  pausedAt(): number | undefined {
    const sample = this.isSpeech() ? this.#detector?.pausedAt() : undefined;
    return sample === undefined ? undefined : this.#positionOf(sample);
  }

  /** A copy of the speech so far. */
  speech(end = this.#buffer.end, soundEnd = this.pausedAt()): SpokenAudio {
    const audio = this.#buffer.slice(this.#start(), end);
    const file = toRecording(audio, this.#listening.format);
    return { endMs: this.#millisecondsOf(end), file, bytes: audio.length, soundEnd };
  }

  /** Cuts the speech here, though it continues. */
  cutSpeech(): SpokenAudio {
    const soundEnd = this.pausedAt();
    this.#detector?.interrupt();
    return this.#endSpeech(this.#buffer.end, soundEnd);
  }

  clear(): void {
    this.#buffer.drop(this.#buffer.end);
    this.#listen(this.#listening);
  }

  /** Bytes of one sample. */
  sampleBytes(): number {
    return bytesPerSample[encodingOf(this.#listening.format)];
  }

  #start(): number {
    return this.#speechStart ?? this.#buffer.start;
  }

  /** Position of a sample of the detector's stream. */
  #positionOf(sample: number): number {
    return this.#detectorStart + this.sampleBytes() * sample;
  }

  #millisecondsOf(bytes: number): number {
    return Math.round((1000 * bytes) / this.sampleBytes() / sampleRateOf(this.#listening.format));
  }

  #bytesOf(milliseconds: number): number {
    return this.sampleBytes() * Math.round((milliseconds * sampleRateOf(this.#listening.format)) / 1000);
  }

  /** Restarts the detection of turns from here, or turns it off. */
  #listen(after: Listening): void {
    this.#listening = after;
    this.#speechStart = undefined;
    this.#detectorStart = this.#buffer.end;
    this.#detector = after.turns && createDetector(after.turns, sampleRateOf(after.format));
  }

  /** Takes the speech, or all waiting audio if there is no speech, out of the buffer. */
  #endSpeech(end: number, soundEnd: number | undefined): SpokenAudio {
    const spoken = this.speech(end, soundEnd);
    this.#buffer.drop(end);
    this.#speechStart = undefined;
    return spoken;
  }
}

function createDetector(turns: NonNullable<Listening['turns']>, sampleRateHz: number): TurnDetector {
  const { threshold, silenceDurationMs } = turns;
  return createTurnDetector({ sampleRateHz, threshold, silenceSeconds: silenceDurationMs / 1000 });
}
