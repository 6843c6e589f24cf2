import { assertWanted } from '../../../errors.ts';
import {
  sampleRateHz,
  type AudioWindow,
  type Recognition,
  type RecognitionOptions,
  type RecognizedSegment,
  type RecognizedWindow,
  type StretchRecognizer,
} from '../recognizer.ts';
import { compressionRatio } from './compression-ratio.ts';
import { cutStretches } from './cut-stretches.ts';

/** Writes down windows by a model that reads stretches of speech: each becomes a segment. */
export class StretchRecognition implements Recognition {
  readonly language: string | undefined;
  readonly #recognizer: StretchRecognizer;
  readonly #options: RecognitionOptions;

  constructor(recognizer: StretchRecognizer, options: RecognitionOptions) {
    this.#recognizer = recognizer;
    this.#options = options;
    this.language = options.language;
  }

  async recognize(window: AudioWindow): Promise<RecognizedWindow> {
    const { stretches, consumed } = cutStretches(window);
    const segments: RecognizedSegment[] = [];
    for (const [start, end] of stretches) {
      assertWanted(this.#options.signal);
      const recognized = await this.#recognizer.recognize(window.samples.slice(start, end), this.#options);
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
    return { segments, consumed };
  }
}
