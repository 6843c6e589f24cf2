import type { LogMel } from '../../../../core/audio/log-mel.ts';
import type { VoiceRegion } from '../../../../core/audio/voice-activity.ts';
import {
  isSilence,
  leastBad,
  mostCompression,
  mostTrustedTemperature,
  needsFallback,
  temperatureLadder,
} from '../../../../core/audio/whisper/fallback.ts';
import { toIsoLanguage } from '../../../../core/audio/whisper/languages.ts';
import { toPrefix } from '../../../../core/audio/whisper/prefix.ts';
import { echoesPrompt, isAlike } from '../../../../core/audio/whisper/prompt-echo.ts';
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
import { startTokens, type StartOptions } from './request-tokens.ts';
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
  /** The vocabulary's code; `undefined` to find it out. */
  readonly language: string | undefined;
  /** Tokens of the text that comes before. */
  readonly prompt: readonly number[];
  readonly task: TranscriptionTask;
  /** The first to decode at. */
  readonly temperature: number;
  readonly wordTimestamps: boolean;
  readonly signal?: AbortSignal | undefined;
}

const framesPerSecond = 100;
const samplesPerFrame = sampleRateHz / framesPerSecond;
const samplesPerPosition = samplesPerFrame * framesPerPosition;
const leastSkippedFrames = 10;
/** A silent window is not skipped to its very end, where a word may begin. */
const keptFrames = 50;
/** From this on a window begins anew at the speech after its silence. */
const longLeadSeconds = 1;
/** Longest part of a word that a window cuts, with the padding of its region. */
const longestTailSeconds = 0.5;
/** Largest distance between the end of a window and the end of a word that the window cuts. */
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

/**
 * Writes down a recording by Whisper's own timestamps: a window ends where its text ends.
 * @see https://arxiv.org/abs/2212.04356 section 4.5, and `transcribe.py` of its reference implementation
 */
export class WhisperRecognition implements Recognition {
  readonly #tools: WhisperTools;
  readonly #job: WhisperJob;
  #language: string | undefined;
  /** Tokens of the text before the window. */
  #previous: readonly number[];
  /** Whether the text of the window before goes on to its very end, where a word may be cut. */
  #wasSpokenToEnd = false;

  constructor(tools: WhisperTools, job: WhisperJob) {
    this.#tools = tools;
    this.#job = job;
    this.#language = job.language;
    this.#previous = job.prompt;
  }

  get language(): string | undefined {
    return this.#language === undefined ? undefined : toIsoLanguage(this.#language);
  }

  async recognize(window: AudioWindow): Promise<RecognizedWindow> {
    const { speech, samples, start } = window;
    const skipped = framesToSkip(speech, samples, this.#wasSpokenToEnd);
    this.#wasSpokenToEnd = false;
    if (skipped > 0) return { segments: [], consumed: skipped * samplesPerFrame };
    const seek = start / samplesPerFrame;
    const positions = Math.ceil(samples.length / samplesPerPosition);
    const { segments, consumed } = await this.#transcribe({ ...window, seek, positions });
    return { segments, consumed: consumed * samplesPerPosition };
  }

  /** @returns the segments that are final, and after how many positions the next window begins */
  async #transcribe(window: Window): Promise<RecognizedWindow> {
    const { model, logMel } = this.#tools;
    const encoded = await model.encode(readFeatures(window.samples, logMel), this.#job);
    try {
      this.#assertWanted();
      return await this.#write(encoded, window);
    } finally {
      encoded.release();
    }
  }

  async #write(encoded: EncodedAudio, window: Window): Promise<RecognizedWindow> {
    const { folder } = this.#tools;
    const { positions } = window;
    this.#language ??= await this.#detectLanguage(encoded);
    const decoded = await this.#decodeHeard(encoded, window.seek);
    if (isSilence(decoded)) return { segments: [], consumed: positions };
    const { timestampBegin } = folder.vocabulary;
    const { segments, consumed, isFinished } = splitWindow(decoded.tokens, { timestampBegin, positions });
    const spoken = await this.#timeWords(encoded, this.#keepSpoken(segments, decoded, window), window);
    this.#remember(spoken, decoded);
    const last = spoken.at(-1);
    const lastWord = last?.end === segments.at(-1)?.end ? last?.timed?.words.at(-1) : undefined;
    let next = consumed < positions ? consumed : resumeAt(segments.at(-1), window);
    if (!isFinished && lastWord !== undefined && lastWord.end > 0)
      next = Math.min(next, Math.max(1, Math.round(lastWord.end / secondsPerPosition)));
    this.#wasSpokenToEnd = next === positions && positions - (last?.end ?? 0) <= tailPositions;
    return { segments: spoken.map((segment) => toRecognized(segment, decoded)), consumed: next };
  }

  async #detectLanguage(encoded: EncodedAudio): Promise<string | undefined> {
    const { folder, model } = this.#tools;
    const { languages, startOfTranscript } = folder.vocabulary;
    if (languages.size === 0) return undefined;
    const { logits, release } = await model.start(encoded, [startOfTranscript], this.#job);
    release();
    const likeliest = [...languages].reduce((best, next) =>
      logits[next[1]]! > logits[best[1]]! ? next : best,
    );
    return likeliest[0];
  }

  /**
   * Text from before can talk a model out of what it hears, and a prompt into what nobody says: a window that comes out
   * empty, as words of the prompt, or as a guess after it, is decoded once more without.
   */
  async #decodeHeard(encoded: EncodedAudio, seek: number): Promise<DecodedWindow> {
    const decoded = await this.#decode(encoded, seek);
    const text = this.#textOf(decoded);
    const prompt = textOf(this.#job.prompt, this.#tools.folder);
    const isDoubtful = prompt !== '' && (needsFallback(decoded) || echoesPrompt(text, prompt));
    if ((text !== '' && !isDoubtful) || this.#previous.length === 0) return decoded;
    const previous = this.#previous;
    this.#previous = [];
    const unprompted = await this.#decode(encoded, seek);
    const heard = this.#textOf(unprompted);
    if (text === '' || heard === '' || !isAlike(heard, text)) return unprompted;
    // Somebody says it; the prompt knows how it is spelled.
    this.#previous = previous;
    return decoded;
  }

  #textOf(decoded: DecodedWindow): string {
    return isSilence(decoded) ? '' : textOf(decoded.tokens, this.#tools.folder).trim();
  }

  get #start(): StartOptions {
    return { language: this.#language, task: this.#job.task };
  }

  /** At higher and higher temperatures until the text is good enough; the best of them if none is. */
  async #decode(encoded: EncodedAudio, seek: number): Promise<DecodedWindow> {
    const { folder, model, decoder } = this.#tools;
    const { temperature: first, signal } = this.#job;
    const { contextLength, vocabulary } = folder;
    const start = startTokens(this.#start, folder);
    const { startOfPrevious, noSpeech } = vocabulary;
    const state = await model.start(
      encoded,
      toPrefix(this.#previous, { startOfPrevious, start, contextLength }),
      { signal },
    );
    try {
      const atStart = state.logitsBefore(start.length - 1);
      const noSpeechProbability =
        noSpeech === undefined ? 0 : Math.exp(logProbabilitiesOf(atStart, noSpeech).logProbability);
      const ladder = temperatureLadder(first);
      const decode = (temperature: number, cutsLoops: boolean): Promise<DecodedWindow> => {
        this.#assertWanted();
        // Drawn the same whatever else runs: the same request gives the same text.
        const rng = createRng(seek * 16 + ladder.indexOf(temperature));
        return decoder.decode(state, { temperature, cutsLoops, rng, noSpeechProbability, signal });
      };
      const attempts: DecodedWindow[] = [];
      for (const temperature of ladder) {
        const decoded = await decode(temperature, ladder.length > 1);
        if (!needsFallback(decoded)) return decoded;
        attempts.push(decoded);
      }
      const best = leastBad(attempts);
      return best.isCut ? await decode(best.temperature, false) : best;
    } finally {
      state.release();
    }
  }

  /** Leaves out what has no text, what nobody can have said, and what a decoder in a loop repeats. */
  #keepSpoken(
    segments: readonly WindowSegment[],
    { compressionRatio }: DecodedWindow,
    { speech }: Window,
  ): SpokenSegment[] {
    const spoken = segments
      .map((segment) => ({ ...segment, text: textOf(segment.tokens, this.#tools.folder) }))
      .filter(({ text, start, end }) => {
        const [from, to] = [positionsToSeconds(start), positionsToSeconds(end)];
        const heard = speech.some(({ startSeconds, endSeconds }) => from < endSeconds && to > startSeconds);
        return text.trim() !== '' && start < end && heard && !isUnsayable(text, to - from);
      });
    return compressionRatio > mostCompression ? cutRepetitions(spoken) : spoken;
  }

  /** Makes the text the context of the next window, unless it can't be trusted. Without its times the next window would have none. */
  #remember(segments: readonly SpokenSegment[], decoded: DecodedWindow): void {
    const { contextLength, conditionsOnPrevious } = this.#tools.folder;
    const trusted =
      conditionsOnPrevious && decoded.temperature <= mostTrustedTemperature && !needsFallback(decoded);
    const text = segments.flatMap(({ tokens }) => tokens);
    this.#previous = trusted ? [...this.#previous, ...text].slice(-contextLength) : [];
  }

  /** Adds the times of words where they are asked for, and leaves out segments that take no time: nobody said them. */
  async #timeWords(
    encoded: EncodedAudio,
    segments: readonly SpokenSegment[],
    { positions, spokenUntil }: Window,
  ): Promise<TimedSpokenSegment[]> {
    if (!this.#job.wordTimestamps) return [...segments];
    const { model, folder } = this.#tools;
    const { signal } = this.#job;
    const times = await findWordTimes(model, folder, encoded, segments, {
      ...this.#start,
      positions,
      spokenUntil,
      signal,
    });
    return segments
      .map((segment, index) => ({ ...segment, timed: times[index]! }))
      .filter(({ timed }) => timed.start < timed.end);
  }

  #assertWanted(): void {
    assertWanted(this.#job.signal);
  }
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

/** The spectrogram, and zeros after the audio: the reference pads features, and a spectrogram of silence changes what the model hears. */
function readFeatures(samples: Float32Array, logMel: LogMel): Float32Array {
  const features = logMel.compute(samples);
  const { melBins, frames } = logMel;
  const audible = Math.floor(samples.length / samplesPerFrame);
  for (let bin = 0; bin < melBins; bin++) features.fill(0, bin * frames + audible, (bin + 1) * frames);
  return features;
}

/** Number of leading frames of a window to skip: silence, or the end of a word that is already transcribed. */
function framesToSkip([first]: readonly VoiceRegion[], samples: Float32Array, wasSpoken: boolean): number {
  if (first === undefined) {
    const frames = Math.ceil(samples.length / samplesPerFrame);
    return Math.max(frames - keptFrames, leastSkippedFrames);
  }
  const { startSeconds, endSeconds } = first;
  const isTail = wasSpoken && startSeconds === 0 && endSeconds <= longestTailSeconds;
  const skipped = isTail ? endSeconds : startSeconds < longLeadSeconds ? 0 : startSeconds;
  return Math.floor(skipped * framesPerSecond);
}

/**
 * After how many positions to go on after a window that was written down to its end: the reference goes on after the
 * window, also where somebody began to speak after the last segment and is cut off.
 */
function resumeAt(last: WindowSegment | undefined, { speech, positions, isLast }: Window): number {
  const cutOff = speech.at(-1);
  if (last === undefined || cutOff === undefined || isLast) return positions;
  const lastEnd = positionsToSeconds(last.end);
  const isNew = cutOff.startSeconds >= lastEnd - regionShape.paddingSeconds;
  const reachesEnd = cutOff.endSeconds >= positionsToSeconds(positions - 1);
  if (!isNew || !reachesEnd) return positions;
  return Math.min(positions, Math.floor(Math.max(cutOff.startSeconds, lastEnd) / secondsPerPosition));
}
