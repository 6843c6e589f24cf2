import type { LogMel } from '../../../../core/audio/log-mel.ts';
import type { VoiceRegion } from '../../../../core/audio/voice-activity.ts';
import {
  isGibberish,
  isSilence,
  bestFallback,
  maxCompressionRatio,
  maxNoSpeechProbability,
  maxContextTemperature,
  needsFallback,
  temperatureLadder,
} from '../../../../core/audio/whisper/fallback.ts';
import { toIsoLanguage } from '../../../../core/audio/whisper/languages.ts';
import { toPrefix, echoesPrompt, isAlike } from '../../../../core/audio/whisper/prompt.ts';
import { cutRepetitions, splitWindow, type WindowSegment } from '../../../../core/audio/whisper/segments.ts';
import { isUnsayable, type TimedSegment } from '../../../../core/audio/whisper/word-timing.ts';
import {
  framesPerPosition,
  positionsToSeconds,
  secondsPerPosition,
} from '../../../../core/audio/whisper/timestamps.ts';
import { logProbabilitiesOf } from '../../../../core/sampling/log-probabilities.ts';
import { createRng } from '../../../../core/sampling/rng.ts';
import { assertWanted } from '../../../../errors.ts';
import type { WhisperFolder } from './whisper-folder.ts';
import {
  sampleRateHz,
  type AudioWindow,
  type Recognition,
  type RecognizedSegment,
  type RecognizedWindow,
} from '../../recognizer.ts';
import type { TranscriptionTask } from '../../request.ts';
import { textOf, type DecodedWindow, type WindowDecoder } from './window-decoder.ts';
import { startTokens } from './request-tokens.ts';
import type { EncodedAudio } from '../../pipeline/text-decoder.ts';
import { regionShape } from '../../pipeline/voice-gate.ts';
import type { WhisperModel } from './whisper-model.ts';
import { findWordTimes } from './word-times.ts';

export interface WhisperTools {
  readonly folder: WhisperFolder;
  readonly model: WhisperModel;
  readonly decoder: WindowDecoder;
  readonly logMel: LogMel;
}

export interface WhisperJob {
  /** The vocabulary's code; `undefined` to detect it. */
  readonly language: string | undefined;
  /** Tokens of the preceding text. */
  readonly prompt: readonly number[];
  readonly task: TranscriptionTask;
  readonly temperature: number;
  readonly wordTimestamps: boolean;
  readonly signal?: AbortSignal | undefined;
}

const framesPerSecond = 100;
const samplesPerFrame = sampleRateHz / framesPerSecond;
const samplesPerPosition = samplesPerFrame * framesPerPosition;
const minSkippedFrames = 10;
/** A silent window keeps its end, where a word may begin. */
const keptFrames = 50;
/** After a longer silence, the window restarts at the speech. */
const longLeadSeconds = 1;
/** Max part of a word that a window cuts, region padding included. */
const maxTailSeconds = 0.5;
/** The end of a window without text is read again: speech may begin there after music. */
const rereadPositions = 100;
/** Max distance between the ends of a window and a word that it cuts. */
const tailPositions = 25;

interface Window extends AudioWindow {
  /** Start, in frames of 10 ms. */
  readonly seek: number;
  /** Length of the audio without padding. */
  readonly positions: number;
}

interface SpokenSegment extends WindowSegment {
  readonly text: string;
}

interface TimedSpokenSegment extends SpokenSegment {
  /** In seconds from the window's beginning. */
  readonly timed?: TimedSegment;
}

/** A window ends at the end of its text. @see https://arxiv.org/abs/2212.04356 section 4.5, and `transcribe.py` of its reference implementation */
export class WindowRecognition implements Recognition {
  readonly #folder: WhisperFolder;
  readonly #model: WhisperModel;
  readonly #decoder: WindowDecoder;
  readonly #logMel: LogMel;
  readonly #job: WhisperJob;
  #language: string | undefined;
  /** Set by the request or by a window with clear speech. */
  #isLanguageKnown: boolean;
  /** Tokens of the text before the window. */
  #previous: readonly number[];
  /** The previous window's text reaches its end, which may cut a word. */
  #wasSpokenToEnd = false;

  constructor({ folder, model, decoder, logMel }: WhisperTools, job: WhisperJob) {
    this.#folder = folder;
    this.#model = model;
    this.#decoder = decoder;
    this.#logMel = logMel;
    this.#job = job;
    this.#language = job.language;
    this.#isLanguageKnown = job.language !== undefined;
    this.#previous = job.prompt;
  }

  get language(): string | undefined {
    return this.#language === undefined ? undefined : toIsoLanguage(this.#language);
  }

  async recognize(window: AudioWindow) {
    const { speech, samples, start } = window;
    const skipped = framesToSkip(speech, samples, this.#wasSpokenToEnd);
    this.#wasSpokenToEnd = false;
    if (skipped > 0) return { segments: [], consumed: skipped * samplesPerFrame };
    const seek = start / samplesPerFrame;
    const positions = Math.ceil(samples.length / samplesPerPosition);
    const encoded = await this.#model.encode(readFeatures(samples, this.#logMel), this.#job);
    try {
      assertWanted(this.#job.signal);
      const before = this.#language;
      const { segments, consumed } = await this.#write(encoded, { ...window, seek, positions });
      // Discard a language guessed from music or noise.
      if (segments.length === 0) this.#language = before;
      return { segments, consumed: consumed * samplesPerPosition };
    } finally {
      encoded.release();
    }
  }

  /** @returns the final segments and the number of positions to advance */
  async #write(encoded: EncodedAudio, window: Window): Promise<RecognizedWindow> {
    const { positions } = window;
    if (!this.#isLanguageKnown) this.#language = await this.#detectLanguage(encoded);
    const decoded = await this.#decodeHeard(encoded, window.seek);
    if (isSilence(decoded)) return { segments: [], consumed: resumeAt(undefined, window) };
    const { timestampBegin } = this.#folder.vocabulary;
    const { segments, consumed, isFinished } = splitWindow(decoded.tokens, { timestampBegin, positions });
    const spoken = await this.#timeWords(encoded, this.#keepSpoken(segments, decoded, window), window);
    this.#isLanguageKnown ||= spoken.length > 0 && isHeardWell(decoded);
    this.#remember(spoken, decoded);
    const last = spoken.at(-1);
    const lastWord = last?.end === segments.at(-1)?.end ? last?.timed?.words.at(-1) : undefined;
    let next =
      consumed < positions ? consumed : resumeAt(spoken.length > 0 ? segments.at(-1) : undefined, window);
    if (!isFinished && lastWord !== undefined && lastWord.end > 0)
      next = Math.min(next, Math.max(1, Math.round(lastWord.end / secondsPerPosition)));
    this.#wasSpokenToEnd = next === positions && positions - (last?.end ?? 0) <= tailPositions;
    return { segments: spoken.map((segment) => toRecognized(segment, decoded)), consumed: next };
  }

  async #detectLanguage(encoded: EncodedAudio): Promise<string | undefined> {
    const { languages, startOfTranscript } = this.#folder.vocabulary;
    if (languages.size === 0) return undefined;
    const { logits, release } = await this.#model.start(encoded, [startOfTranscript], this.#job);
    release();
    const likeliest = [...languages].reduce((best, next) =>
      logits[next[1]]! > logits[best[1]]! ? next : best,
    );
    return likeliest[0];
  }

  /**
   * Context can override the audio, and a prompt can cause hallucinations: if a window yields no text, prompt words or a
   * low-confidence text, decode it again without them.
   */
  async #decodeHeard(encoded: EncodedAudio, seek: number): Promise<DecodedWindow> {
    const decoded = await this.#decode(encoded, seek);
    const text = this.#textOfWindow(decoded);
    const prompt = textOf(this.#job.prompt, this.#folder);
    const isDoubtful = prompt !== '' && (needsFallback(decoded) || echoesPrompt(text, prompt));
    if ((text !== '' && !isDoubtful) || this.#previous.length === 0) return decoded;
    const before = this.#previous;
    this.#previous = [];
    const unprompted = await this.#decode(encoded, seek);
    const heard = this.#textOfWindow(unprompted);
    if (text === '' || heard === '' || !isAlike(heard, text)) return unprompted;
    // The speech is real; keep the prompted spelling.
    this.#previous = before;
    return decoded;
  }

  #textOfWindow(decoded: DecodedWindow): string {
    return isSilence(decoded) ? '' : textOf(decoded.tokens, this.#folder).trim();
  }

  /** Retries at higher temperatures; returns the best attempt. */
  async #decode(encoded: EncodedAudio, seek: number): Promise<DecodedWindow> {
    const { startOfPrevious, noSpeech } = this.#folder.vocabulary;
    const start = startTokens({ language: this.#language, task: this.#job.task }, this.#folder);
    const prefix = toPrefix(this.#previous, {
      startOfPrevious,
      start,
      contextLength: this.#folder.contextLength,
    });
    const state = await this.#model.start(encoded, prefix, { signal: this.#job.signal });
    try {
      const atStart = state.logitsBefore(start.length - 1);
      const noSpeechProbability =
        noSpeech === undefined ? 0 : Math.exp(logProbabilitiesOf(atStart, noSpeech).logProbability);
      const ladder = temperatureLadder(this.#job.temperature);
      const attempt = (temperature: number, cutsLoops: boolean): Promise<DecodedWindow> => {
        assertWanted(this.#job.signal);
        // Seeded by position, so that the same request gives the same text.
        const rng = createRng(seek * 16 + ladder.indexOf(temperature));
        return this.#decoder.decode(state, {
          temperature,
          cutsLoops,
          rng,
          noSpeechProbability,
          signal: this.#job.signal,
        });
      };
      const attempts: DecodedWindow[] = [];
      for (const temperature of ladder) {
        const decoded = await attempt(temperature, ladder.length > 1);
        if (!needsFallback(decoded)) return decoded;
        attempts.push(decoded);
      }
      const best = bestFallback(attempts);
      return best.isCut ? await attempt(best.temperature, false) : best;
    } finally {
      state.release();
    }
  }

  /** Drops empty segments, implausibly fast text and loops. */
  #keepSpoken(
    segments: readonly WindowSegment[],
    decoded: DecodedWindow,
    { speech }: Window,
  ): SpokenSegment[] {
    if (isGibberish(decoded)) return [];
    const spoken = segments
      .map((segment) => ({ ...segment, text: textOf(segment.tokens, this.#folder) }))
      .filter(({ text, start, end }) => {
        const [from, to] = [positionsToSeconds(start), positionsToSeconds(end)];
        const heard = speech.some(({ startSeconds, endSeconds }) => from < endSeconds && to > startSeconds);
        return text.trim() !== '' && start < end && heard && !isUnsayable(text, to - from);
      });
    return decoded.compressionRatio > maxCompressionRatio ? cutRepetitions(spoken) : spoken;
  }

  /** Timestamps stay in the context, or the next window would have none. */
  #remember(segments: readonly SpokenSegment[], decoded: DecodedWindow): void {
    const isTrusted = decoded.temperature <= maxContextTemperature && !needsFallback(decoded);
    const text = segments.flatMap(({ tokens }) => tokens);
    // Before the first clear speech, a text may be hallucinated from music.
    const isContext = this.#folder.conditionsOnPrevious && isTrusted && this.#isLanguageKnown;
    this.#previous = isContext ? [...this.#previous, ...text].slice(-this.#folder.contextLength) : [];
  }

  /** Segments without a duration are hallucinations. */
  async #timeWords(
    encoded: EncodedAudio,
    segments: readonly SpokenSegment[],
    { positions, spokenUntil }: Window,
  ): Promise<TimedSpokenSegment[]> {
    if (!this.#job.wordTimestamps) return [...segments];
    const options = {
      language: this.#language,
      task: this.#job.task,
      positions,
      spokenUntil,
      signal: this.#job.signal,
    };
    const times = await findWordTimes(this.#model, this.#folder, encoded, segments, options);
    return segments
      .map((segment, index) => ({ ...segment, timed: times[index]! }))
      .filter(({ timed }) => timed.start < timed.end);
  }
}

/** The text is confident and unlikely to be hallucinated from music. */
function isHeardWell(decoded: DecodedWindow): boolean {
  return !needsFallback(decoded) && decoded.noSpeechProbability <= maxNoSpeechProbability;
}

function toRecognized(
  { start, end, tokens, text, timed }: TimedSpokenSegment,
  { temperature, averageLogprob, compressionRatio, noSpeechProbability }: DecodedWindow,
): RecognizedSegment {
  const times = timed ?? { start: positionsToSeconds(start), end: positionsToSeconds(end) };
  return {
    startSeconds: times.start,
    endSeconds: times.end,
    text,
    tokens,
    temperature,
    averageLogprob,
    compressionRatio,
    noSpeechProbability,
    words: timed?.words.map((word) => ({
      word: word.text,
      startSeconds: word.start,
      endSeconds: word.end,
    })),
  };
}

/** Zero-padded after the audio: the reference pads features, and a spectrogram of silence changes the result. */
function readFeatures(samples: Float32Array, logMel: LogMel): Float32Array {
  const features = logMel.compute(samples);
  const { melBins, frames } = logMel;
  const audible = Math.floor(samples.length / samplesPerFrame);
  for (let bin = 0; bin < melBins; bin++) features.fill(0, bin * frames + audible, (bin + 1) * frames);
  return features;
}

/** Silence, or the end of a word that is already transcribed. */
function framesToSkip([first]: readonly VoiceRegion[], samples: Float32Array, wasSpoken: boolean): number {
  if (first === undefined) {
    const frames = Math.ceil(samples.length / samplesPerFrame);
    return Math.max(frames - keptFrames, minSkippedFrames);
  }
  const { startSeconds, endSeconds } = first;
  const isTail = wasSpoken && startSeconds === 0 && endSeconds <= maxTailSeconds;
  const skipped = isTail ? endSeconds : startSeconds < longLeadSeconds ? 0 : startSeconds;
  return Math.floor(skipped * framesPerSecond);
}

/** The reference always advances by the whole window, which cuts off speech that starts after the last segment, or after music. */
function resumeAt(last: WindowSegment | undefined, { speech, positions, isLast }: Window): number {
  const cutOff = speech.at(-1);
  if (cutOff === undefined || isLast) return positions;
  const lastEnd = positionsToSeconds(last?.end ?? positions - rereadPositions);
  const isNew = last === undefined || cutOff.startSeconds >= lastEnd - regionShape.paddingSeconds;
  const reachesEnd = cutOff.endSeconds >= positionsToSeconds(positions - 1);
  if (!isNew || !reachesEnd) return positions;
  return Math.min(positions, Math.floor(Math.max(cutOff.startSeconds, lastEnd) / secondsPerPosition));
}
