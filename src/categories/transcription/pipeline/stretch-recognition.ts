import { assertWanted } from '../../../errors.ts';
import {
  sampleRateHz,
  type AudioWindow,
  type KeptSamples,
  type Recognition,
  type RecognitionOptions,
  type RecognizedSegment,
  type RecognizedStretch,
  type RecognizedWindow,
  type StretchRecognizer,
} from '../recognizer.ts';
import { compressionRatio } from './compression-ratio.ts';
import { cutStretches } from './cut-stretches.ts';

/** Heard on both sides of a cut within speech, so that a word at the cut is whole in one of the stretches. */
const overlap = 2 * sampleRateHz;
const nothing = new Float32Array(0);

/** Writes down windows by a model that reads stretches of speech: each becomes a segment. */
export class StretchRecognition implements Recognition {
  readonly language: string | undefined;
  readonly #recognizer: StretchRecognizer;
  readonly #options: RecognitionOptions;
  /** Audio before the window, where speech was cut. */
  #before: Float32Array = nothing;

  constructor(recognizer: StretchRecognizer, options: RecognitionOptions) {
    this.#recognizer = recognizer;
    this.#options = options;
    this.language = options.language;
  }

  async recognize(window: AudioWindow): Promise<RecognizedWindow> {
    const { stretches, consumed, isCut } = cutStretches(window);
    const segments: RecognizedSegment[] = [];
    for (const [index, [begin, end]] of stretches.entries()) {
      assertWanted(this.#options.signal);
      // After a cut, a gap of the region that was cut is no silence to leave out.
      const start = index === 0 && begin < this.#before.length ? 0 : begin;
      const recognized = await this.#recognizeStretch(window.samples, [start, end], isCut);
      if (recognized.text === '') continue;
      const { text, tokens, averageLogprob, words } = recognized;
      const startSeconds = start / sampleRateHz;
      segments.push({
        startSeconds,
        endSeconds: end / sampleRateHz,
        text: ` ${text}`,
        tokens,
        temperature: 0,
        averageLogprob,
        compressionRatio: compressionRatio(text),
        // Silence was left out before.
        noSpeechProbability: 0,
        words: this.#options.wordTimestamps
          ? words?.map((word) => ({
              word: word.word,
              startSeconds: startSeconds + word.startSeconds,
              endSeconds: startSeconds + word.endSeconds,
            }))
          : undefined,
      });
    }
    const isContinued = isCut && this.#recognizer.leavesOutWords === true;
    this.#before = isContinued ? window.samples.slice(Math.max(0, consumed - overlap), consumed) : nothing;
    return { segments, consumed };
  }

  #recognizeStretch(
    samples: Float32Array,
    [start, end]: KeptSamples,
    isCut: boolean,
  ): Promise<RecognizedStretch> {
    const { leavesOutWords = false } = this.#recognizer;
    const before = start === 0 ? this.#before : nothing;
    const after = samples.subarray(start, isCut && leavesOutWords ? end + overlap : end);
    const heard = new Float32Array(before.length + after.length);
    heard.set(before);
    heard.set(after, before.length);
    const kept: KeptSamples = [before.length, isCut ? before.length + end - start : heard.length];
    return this.#recognizer.recognize(heard, { ...this.#options, kept });
  }
}
