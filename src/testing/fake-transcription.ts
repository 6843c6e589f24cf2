import type { TranscriptionModelInfo } from '../categories/transcription/events.ts';
import type { CallOptions } from '../contracts/run.ts';
import type { SpeakerSegment } from '../core/audio/diarization/assign-speakers.ts';
import { fieldError } from '../errors.ts';
import type { TranscriptionEvent, TranscriptionSegment } from '../categories/transcription/events.ts';
import type { TranscriptionRequest } from '../categories/transcription/request.ts';
import { type FakeRun, pause, wordsOf } from './fake-run.ts';
import { assertScript } from './scripts.ts';

/** The transcript of a fake model. */
export interface FakeTranscript extends FakeRun {
  /** One segment each; a word takes half a second. */
  readonly segments: readonly string[];
  /** Who says each segment, where speakers are asked for; default: `A`. */
  readonly speakers?: readonly string[] | undefined;
  /** ISO 639-1; default: the one asked for, else `en`. */
  readonly language?: string | undefined;
  /** Duration of the audio; default: the end of the last word. */
  readonly durationSeconds?: number | undefined;
}

/** A transcript, or a function that listens. A text is a transcript of one segment. */
export type FakeListener =
  | string
  | FakeTranscript
  | ((
      request: TranscriptionRequest,
      options: CallOptions,
    ) => string | FakeTranscript | Promise<string | FakeTranscript>);

const secondsOfWord = 0.5;

/** Plays what a transcription model would send. */
export async function* playTranscript(
  listener: FakeListener,
  request: TranscriptionRequest,
  { languages }: Pick<TranscriptionModelInfo, 'languages'>,
  options: CallOptions,
): AsyncGenerator<TranscriptionEvent> {
  const { language } = request;
  if (language !== undefined && languages !== undefined && !languages.includes(language))
    throw fieldError('language', `expected one of ${languages.join(', ')}`);
  const given = typeof listener === 'function' ? await listener(request, options) : listener;
  const heard = assertScript('transcript', given);
  const transcript = typeof heard === 'string' ? { segments: [heard] } : heard;
  let seconds = 0;
  const spoken: SpeakerSegment[] = [];
  for (const [id, text] of transcript.segments.entries()) {
    await pause(transcript.delayMs, options.signal);
    if (transcript.error !== undefined && id === (transcript.failAfter ?? 0)) throw transcript.error;
    const segment = toSegment(id, text, seconds, request);
    seconds = segment.endSeconds;
    const { startSeconds, endSeconds } = segment;
    spoken.push({ speaker: transcript.speakers?.[id] ?? 'A', startSeconds, endSeconds, text: text.trim() });
    yield { type: 'segment', segment };
  }
  if (transcript.error !== undefined) throw transcript.error;
  if (request.diarize) yield { type: 'speakers', segments: spoken };
  yield {
    type: 'transcription-end',
    language: transcript.language ?? language ?? 'en',
    durationSeconds: transcript.durationSeconds ?? seconds,
  };
}

function toSegment(
  id: number,
  text: string,
  startSeconds: number,
  { temperature, wordTimestamps, multichannel }: TranscriptionRequest,
): TranscriptionSegment {
  const words = wordsOf(text.trim()).map((word, index) => ({
    word: word.trim(),
    startSeconds: startSeconds + index * secondsOfWord,
    endSeconds: startSeconds + (index + 1) * secondsOfWord,
  }));
  return {
    id,
    seek: 0,
    startSeconds,
    endSeconds: words.at(-1)?.endSeconds ?? startSeconds,
    text: ` ${text.trim()}`,
    tokens: words.map((_, index) => index),
    temperature,
    averageLogprob: -0.1,
    compressionRatio: 1,
    noSpeechProbability: 0,
    ...(multichannel ? { channel: 0 } : {}),
    ...(wordTimestamps ? { words } : {}),
  };
}
