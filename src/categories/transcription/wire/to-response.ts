import { toSrt, toVtt } from '../../../core/audio/subtitles.ts';
import { languageName } from '../../../core/audio/whisper/languages.ts';
import { rounded } from '../../../core/math/numeric.ts';
import type { SpeakerSegment } from '../../../core/audio/diarization/assign-speakers.ts';
import { heardSeconds, type TranscriptionSegment, type TranscriptionEvent } from '../events.ts';
import type { TranscriptionTask } from '../request.ts';
import type { TranscriptionResult } from '../result.ts';
import type {
  DiarizedTranscription,
  Transcription,
  VerboseTranscription,
  TranscriptionStreamEvent,
} from './schema.ts';
import { positionsPerSecond } from '../../../core/audio/whisper/timestamps.ts';

/**
 * A transcript → the response body with `response_format: 'json'`.
 *
 * @example
 * ```ts
 * toTranscription({ text: 'Hello.', language: 'en', durationSeconds: 1.2, segments: [] }).usage.seconds; // 2
 * ```
 */
export function toTranscription(result: TranscriptionResult): Transcription {
  return { text: result.text, usage: toUsage(result) };
}

/**
 * A transcript → the response body with `response_format: 'verbose_json'`. Times keep milliseconds.
 *
 * @param options.segments include segments
 * @param options.words include words
 * @param options.task default `transcribe`
 * @example
 * ```ts
 * const result = { text: 'Hello.', language: 'en', durationSeconds: 1.2, segments: [] };
 * toVerboseTranscription(result, { segments: true, words: false }).language; // 'english'
 * ```
 */
export function toVerboseTranscription(
  result: TranscriptionResult,
  options: {
    readonly segments: boolean;
    readonly words: boolean;
    readonly task?: TranscriptionTask | undefined;
  },
): VerboseTranscription {
  const { text, durationSeconds, segments } = result;
  const language = options.task === 'translate' ? 'en' : result.language;
  return {
    task: options.task ?? 'transcribe',
    language: language === undefined ? 'unknown' : (languageName(language) ?? language),
    duration: rounded(durationSeconds, 3),
    text,
    ...(options.segments ? { segments: segments.map(toSegment) } : {}),
    ...(options.words ? { words: segments.flatMap(toWords) } : {}),
    usage: toUsage(result),
  };
}

/** A transcript → the response body with `response_format: 'diarized_json'`. Times keep milliseconds. */
export function toDiarizedTranscription(result: TranscriptionResult): DiarizedTranscription {
  const { text, durationSeconds, speakerSegments = [] } = result;
  return {
    task: 'transcribe',
    duration: rounded(durationSeconds, 3),
    text,
    segments: speakerSegments.map(toSpeakerSegment),
    usage: toUsage(result),
  };
}

function toSpeakerSegment(
  { speaker, startSeconds, endSeconds, text }: SpeakerSegment,
  index: number,
): DiarizedTranscription['segments'][number] {
  return {
    type: 'transcript.text.segment',
    id: `seg_${String(index + 1).padStart(3, '0')}`,
    start: rounded(startSeconds, 3),
    end: rounded(endSeconds, 3),
    text,
    speaker,
  };
}

/** A transcript → the response body with `response_format: 'text'`. */
export function toPlainText({ text }: TranscriptionResult): string {
  return `${text}\n`;
}

/** A transcript → the response body with `response_format: 'srt'` or `'vtt'`. The first channel is `Speaker 1`. */
export function toSubtitles({ segments }: TranscriptionResult, format: 'srt' | 'vtt'): string {
  const subtitles = segments.map((segment) => ({
    ...segment,
    speaker: segment.channel === undefined ? undefined : `Speaker ${segment.channel + 1}`,
  }));
  return format === 'srt' ? toSrt(subtitles) : toVtt(subtitles);
}

function toUsage(result: TranscriptionResult): Transcription['usage'] {
  return { type: 'duration', seconds: Math.ceil(heardSeconds(result)) };
}

type WireSegment = NonNullable<VerboseTranscription['segments']>[number];
type WireWord = NonNullable<VerboseTranscription['words']>[number];

function toSegment(segment: TranscriptionSegment): WireSegment {
  return {
    id: segment.id,
    seek: segment.seek,
    start: rounded(segment.startSeconds, 3),
    end: rounded(segment.endSeconds, 3),
    text: segment.text,
    tokens: [...segment.tokens],
    temperature: segment.temperature,
    avg_logprob: rounded(segment.averageLogprob, 6),
    compression_ratio: rounded(segment.compressionRatio, 6),
    no_speech_prob: rounded(segment.noSpeechProbability, 6),
    channel: segment.channel,
  };
}

function toWords(segment: TranscriptionSegment): WireWord[] {
  return (segment.words ?? []).map(({ word, startSeconds, endSeconds }) => ({
    word,
    start: rounded(startSeconds, 3),
    end: rounded(endSeconds, 3),
    channel: segment.channel,
  }));
}

/**
 * Creates a function that turns the events of a transcription into events of a streamed answer. The concatenated
 * deltas are the text.
 *
 * @example
 * ```ts
 * const toEvents = createTranscriptionStreamer();
 * toEvents({ type: 'transcription-end', language: 'en', durationSeconds: 1.2 })[0].type; // 'transcript.text.done'
 * ```
 */
export function createTranscriptionStreamer(): (event: TranscriptionEvent) => TranscriptionStreamEvent[] {
  let text = '';
  let tokens = 0;
  let space = '';
  return (event) => {
    if (event.type === 'transcription-end') {
      // One audio token per encoder position.
      const audioTokens = Math.ceil(heardSeconds(event) * positionsPerSecond);
      return [{ type: 'transcript.text.done', text, usage: toTokenUsage(audioTokens, tokens) }];
    }
    if (event.type === 'progress') return [];
    if (event.type === 'speakers') return event.segments.map(toSpeakerSegment);
    tokens += event.segment.tokens.length;
    const spoken = event.segment.text.trim();
    if (spoken === '') return [];
    const before = /^\s*/.exec(event.segment.text)![0];
    const delta = text === '' ? spoken : space + before + spoken;
    space = /\s*$/.exec(event.segment.text)![0];
    text += delta;
    return [{ type: 'transcript.text.delta', delta, channel: event.segment.channel }];
  };
}

export type TokenUsage = Extract<TranscriptionStreamEvent, { type: 'transcript.text.done' }>['usage'];

export function toTokenUsage(audioTokens: number, outputTokens: number): TokenUsage {
  return {
    type: 'tokens',
    input_tokens: audioTokens,
    input_token_details: { audio_tokens: audioTokens },
    output_tokens: outputTokens,
    total_tokens: audioTokens + outputTokens,
  };
}
