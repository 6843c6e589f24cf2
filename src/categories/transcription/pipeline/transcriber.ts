import type { Limiter } from '../../../concurrency/limit-concurrency.ts';
import { assertWanted, whileWanted } from '../../../errors.ts';
import type { TranscriptionEvent, TranscriptionSegment } from '../events.ts';
import {
  sampleRateHz,
  type Recognition,
  type RecognizedSegment,
  type RecognizedWindow,
} from '../recognizer.ts';
import type { VoiceGate } from './voice-gate.ts';

/** Samples before the last read are dropped. */
export class SlidingAudio {
  readonly #blocks: AsyncIterator<Float32Array>;
  /** In order, without gaps; the first begins at `#start`. */
  readonly #kept: Float32Array[] = [];
  #start = 0;
  /** Samples received so far; all of them once `ended`. */
  length = 0;
  /** The stream has no more samples. */
  ended = false;

  constructor(blocks: AsyncIterable<Float32Array>) {
    this.#blocks = blocks[Symbol.asyncIterator]();
  }

  /** @returns `count` samples; fewer at the end of the stream */
  async read(start: number, count: number): Promise<Float32Array> {
    await this.#pull(start, start + count);
    const samples = new Float32Array(Math.max(0, Math.min(this.length, start + count) - start));
    let offset = this.#start - start;
    for (const block of this.#kept) {
      const first = Math.max(0, -offset);
      const last = Math.min(block.length, samples.length - offset);
      if (first < last) samples.set(block.subarray(first, last), offset + first);
      offset += block.length;
    }
    return samples;
  }

  async #pull(start: number, end: number): Promise<void> {
    this.#forget(start);
    while (this.length < end && !this.ended) {
      const { done, value } = await this.#blocks.next();
      if (done === true) this.ended = true;
      else {
        this.#kept.push(value);
        this.length += value.length;
        this.#forget(start);
      }
    }
  }

  #forget(before: number): void {
    while (this.#kept.length > 0 && this.#start + this.#kept[0]!.length <= before)
      this.#start += this.#kept.shift()!.length;
  }
}

export interface TranscriptionTools {
  /** Max window length. */
  readonly maxSeconds: number;
  readonly gate: VoiceGate;
  /** All transcriptions take turns by window. */
  readonly inTurn: Limiter;
}

export interface TranscriptionJob {
  /** Mono, at `sampleRateHz`. */
  readonly blocks: AsyncIterable<Float32Array>;
  readonly recognition: Recognition;
  readonly signal?: AbortSignal | undefined;
  /** Owner of the recording; owners take turns. */
  readonly owner?: string | undefined;
}

const samplesPerFrame = sampleRateHz / 100;
/** Shorter audio at the end of a recording contains no speech. */
const minSamples = 10 * samplesPerFrame;

/** Each window begins where the previous text ended. @throws InferenceError `cancelled`; errors of the blocks */
export async function* transcribe(
  { maxSeconds, gate, inTurn }: TranscriptionTools,
  job: TranscriptionJob,
): AsyncGenerator<TranscriptionEvent> {
  const { recognition, signal } = job;
  const audio = new SlidingAudio(job.blocks);
  let nextId = 0;
  let lastSeconds = 0;
  /** End of the last word, if words have times. */
  let spokenSeconds = 0;

  const recognize = async (start: number, samples: Float32Array): Promise<RecognizedWindow> => {
    assertWanted(signal);
    const speech = await gate.find(samples);
    const spokenUntil = spokenSeconds - start / sampleRateHz;
    return recognition.recognize({ start, samples, speech, isLast: audio.ended, spokenUntil });
  };
  /** Segments never overlap or extend beyond their window. */
  const finish = (
    { words, ...segment }: RecognizedSegment,
    start: number,
    end: number,
  ): TranscriptionSegment => {
    /** Rounds to hundredths, to hide binary rounding errors of sums. */
    const place = (seconds: number, min: number, max: number): number =>
      Math.max(min, Math.min(Math.round((start / sampleRateHz + seconds) * 100) / 100, max));
    const startSeconds = place(segment.startSeconds, lastSeconds, end / sampleRateHz);
    const endSeconds = place(segment.endSeconds, startSeconds, end / sampleRateHz);
    lastSeconds = endSeconds;
    if (words !== undefined && words.length > 0) spokenSeconds = endSeconds;
    return {
      ...segment,
      id: nextId++,
      seek: Math.round(start / samplesPerFrame),
      startSeconds,
      endSeconds,
      words: words?.map((word) => ({
        word: word.word,
        startSeconds: place(word.startSeconds, startSeconds, endSeconds),
        endSeconds: place(word.endSeconds, startSeconds, endSeconds),
      })),
    };
  };

  for (let start = 0; ;) {
    const begin = start;
    const samples = await audio.read(begin, maxSeconds * sampleRateHz);
    assertWanted(signal);
    if (samples.length < minSamples) break;
    const recognized = inTurn(() => recognize(begin, samples), job);
    const { segments, consumed } = await whileWanted(signal, recognized);
    for (const segment of segments)
      yield { type: 'segment', segment: finish(segment, begin, begin + samples.length) };
    start += consumed;
    yield { type: 'progress', seconds: Math.min(start, audio.length) / sampleRateHz };
  }
  const { language } = recognition;
  yield { type: 'transcription-end', language, durationSeconds: audio.length / sampleRateHz };
}
