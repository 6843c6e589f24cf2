import type {
  TranscriptionModelInfo,
  TranscriptionEvent,
  TranscriptionSegment,
} from '../categories/transcription/events.ts';
import type { CallOptions } from '../contracts/run.ts';
import type { SpeakerSegment } from '../core/audio/diarization/assign-speakers.ts';
import { fieldError } from '../errors.ts';
import type { TranscriptionRequest } from '../categories/transcription/request.ts';
import { createSteps, type FakeRun, wordsOf } from './fake-run.ts';
import { readScript, type Scripted } from './scripts.ts';

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
export type FakeListener = Scripted<string | FakeTranscript, TranscriptionRequest>;

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
  const heard = await readScript('transcript', listener, request, options);
  const transcript: FakeTranscript = typeof heard === 'string' ? { segments: [heard] } : heard;
  const steps = createSteps(transcript, options.signal);
  let seconds = 0;
  const spoken: SpeakerSegment[] = [];
  for (const [id, text] of transcript.segments.entries()) {
    await steps.step();
    const segment = toSegment(id, text, seconds, request);
    seconds = segment.endSeconds;
    const { startSeconds, endSeconds } = segment;
    spoken.push({ speaker: transcript.speakers?.[id] ?? 'A', startSeconds, endSeconds, text: text.trim() });
    yield { type: 'segment', segment };
  }
  steps.end();
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
