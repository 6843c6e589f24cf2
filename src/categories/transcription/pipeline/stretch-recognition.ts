import { assertWanted } from '../../../errors.ts';
import {
  sampleRateHz,
  type AudioWindow,
  type KeptSamples,
  type Recognition,
  type RecognitionOptions,
  type RecognizedSegment,
  type RecognizedStretch,
  type StretchRecognizer,
} from '../recognizer.ts';
import { compressionRatio } from './compression-ratio.ts';

interface CutWindow {
  readonly stretches: readonly (readonly [start: number, end: number])[];
  /** Samples to advance to the next window. */
  readonly consumed: number;
  /** Speech continues into the next window. */
  readonly isCut: boolean;
}

/** Pauses at least this long end a stretch. */
const pauseLength = 0.8 * sampleRateHz;
/** Kept around a stretch, in addition to region padding, for soft starts and ends of words. */
const margin = 0.2 * sampleRateHz;
const quietLength = 0.1 * sampleRateHz;
/** Cuts are at multiples of a recognizer's frame, so that the frames on both sides are the same. */
const frameLength = 0.08 * sampleRateHz;
/** Shorter audio contains no word. */
const minLength = 0.1 * sampleRateHz;
/** Silence at the end of a window isn't skipped entirely: a word may begin there. */
const keptLength = 0.5 * sampleRateHz;

/** Speech that continues after the window waits for the next; speech that fills the window is cut at its quietest point. */
function cutStretches({
  samples,
  speech,
  isLast,
}: Pick<AudioWindow, 'samples' | 'speech' | 'isLast'>): CutWindow {
  const { length } = samples;
  const regions = joinRegions(speech, length);
  const last = regions.at(-1);
  if (last === undefined)
    return { stretches: [], consumed: isLast ? length : Math.max(1, length - keptLength), isCut: false };
  const goesOn = !isLast && last[1] >= length - pauseLength;
  if (!goesOn) return { stretches: regions.filter(isLong), consumed: length, isCut: false };
  if (last[0] > 0) return { stretches: regions.slice(0, -1).filter(isLong), consumed: last[0], isCut: false };
  const quietest = frameLength * Math.floor(findQuietest(samples, Math.round(length / 2)) / frameLength);
  return { stretches: [[0, quietest]], consumed: quietest, isCut: true };
}

function joinRegions(speech: AudioWindow['speech'], length: number): (readonly [number, number])[] {
  const joined: [number, number][] = [];
  for (const { startSeconds, endSeconds } of speech) {
    const start = Math.max(0, Math.round(startSeconds * sampleRateHz - margin));
    const end = Math.min(length, Math.round(endSeconds * sampleRateHz + margin));
    const before = joined.at(-1);
    if (before && start - before[1] < pauseLength) before[1] = end;
    else joined.push([start, end]);
  }
  return joined;
}

function isLong([start, end]: readonly [number, number]): boolean {
  return end - start >= minLength;
}

/** @returns the middle of the quietest stretch after `from` */
function findQuietest(samples: Float32Array, from: number): number {
  let energy = 0;
  let minEnergy = Infinity;
  let best = samples.length;
  for (let at = from; at < samples.length; at++) {
    energy += samples[at]! ** 2;
    if (at - from < quietLength) continue;
    energy -= samples[at - quietLength]! ** 2;
    if (energy < minEnergy) [minEnergy, best] = [energy, at - (quietLength >> 1)];
  }
  return best;
}

/** So that a word at the cut is complete in one of the stretches. */
const overlap = 2 * sampleRateHz;
const nothing = new Float32Array(0);

/** Each stretch of speech becomes a segment. */
export function beginStretches(recognizer: StretchRecognizer, options: RecognitionOptions): Recognition {
  const { leavesOutWords = false } = recognizer;
  /** Audio before the window, if speech was cut. */
  let kept: Float32Array = nothing;

  const recognizeStretch = (
    samples: Float32Array,
    [start, end]: KeptSamples,
    isCut: boolean,
  ): Promise<RecognizedStretch> => {
    const before = start === 0 ? kept : nothing;
    const after = samples.subarray(start, isCut && leavesOutWords ? end + overlap : end);
    const heard = new Float32Array(before.length + after.length);
    heard.set(before);
    heard.set(after, before.length);
    const own: KeptSamples = [before.length, isCut ? before.length + end - start : heard.length];
    return recognizer.recognize(heard, { ...options, kept: own });
  };

  return {
    language: options.language,
    async recognize(window) {
      const { stretches, consumed, isCut } = cutStretches(window);
      const segments: RecognizedSegment[] = [];
      for (const [index, [begin, end]] of stretches.entries()) {
        assertWanted(options.signal);
        // After a cut, a gap in the cut region isn't silence to skip.
        const start = index === 0 && begin < kept.length ? 0 : begin;
        const recognized = await recognizeStretch(window.samples, [start, end], isCut);
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
          // Silence was removed earlier.
          noSpeechProbability: 0,
          words: options.wordTimestamps
            ? words?.map((word) => ({
                word: word.word,
                startSeconds: startSeconds + word.startSeconds,
                endSeconds: startSeconds + word.endSeconds,
              }))
            : undefined,
        });
      }
      const isContinued = isCut && leavesOutWords;
      kept = isContinued ? window.samples.slice(Math.max(0, consumed - overlap), consumed) : nothing;
      return { segments, consumed };
    },
  };
}
