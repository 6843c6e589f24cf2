import type { SpeakerSegment } from '../../core/audio/diarization/assign-speakers.ts';
import { unsupportedError } from '../../errors.ts';
import type { CompleteRequest, PipelineRunOptions } from '../../contracts/run.ts';
import type { TranscriptionEvent, TranscriptionWord } from '../../categories/transcription/events.ts';
import type { TranscriptionRequest } from '../../categories/transcription/request.ts';
import { toIsoLanguage, toVocabularyLanguage } from '../../core/audio/whisper/languages.ts';
import { createFileForm } from '../../runtime/http/file-form.ts';
import { callApi, readJson, unreadable } from './api-client.ts';
import { fieldsOf } from './fields.ts';
import type { RemoteModel } from './remote-model.ts';
import { isRefusedFor } from './wire-error.ts';

const maxTranscriptBytes = 2 ** 26;
/** Part of servers' errors for `verbose_json`. */
const formats = /response_format|verbose_json/;

/** Models whose server only returns plain text. */
const plain = new WeakSet<RemoteModel>();

/** Runs a transcription request on an OpenAI-compatible server. */
export async function runTranscription(
  model: RemoteModel,
  request: TranscriptionRequest & CompleteRequest,
  { signal, headers }: PipelineRunOptions,
  add: (event: TranscriptionEvent) => void,
): Promise<void> {
  const { name, servers, extraBody } = model;
  const { wordTimestamps, diarize, given = ['temperature'] } = request;
  const isTranslation = request.task === 'translate';
  const path = isTranslation ? '/audio/translations' : '/audio/transcriptions';
  if (diarize && (wordTimestamps || isTranslation)) {
    const reason =
      'expected another one than diarized_json with word times or a translation: a server has one format for an answer';
    throw unsupportedError('response_format', reason);
  }
  if (request.multichannel)
    throw unsupportedError('multichannel', 'expected false: a server of this format hears one channel');
  const format = diarize ? 'diarized_json' : 'verbose_json';
  const granularities = wordTimestamps ? ['segment', 'word'] : ['segment'];
  const send = (server: Parameters<typeof callApi>[0]) => {
    const isPlain = plain.has(model) && !diarize;
    const fields: [string, unknown][] = [
      ...Object.entries(extraBody),
      ['model', name],
      ['response_format', isPlain ? 'json' : format],
      ['language', request.language],
      ['prompt', request.prompt],
      ['temperature', given.includes('temperature') ? request.temperature : undefined],
      // Without it, recordings of more than 30 s are rejected.
      ['chunking_strategy', diarize ? 'auto' : undefined],
      // Translations and diarized segments have no word times.
      ...(isPlain || isTranslation || diarize
        ? []
        : granularities.map((one): [string, string] => ['timestamp_granularities[]', one])),
    ];
    const form = createFileForm(fields, request.audio);
    const subject = { param: 'file', model, fields: fields.map(([field]) => field) };
    return callApi(server, { path, form, signal, headers, subject });
  };
  const transcript = await servers.ask(async (server) => {
    const answer = await send(server).catch((error: unknown) => {
      if (wordTimestamps || diarize || plain.has(model) || !isRefusedFor(formats, error)) throw error;
      plain.add(model);
      return send(server);
    });
    return readJson(answer, maxTranscriptBytes);
  }, signal);
  for (const event of toTranscriptionEvents(transcript, { wordTimestamps, diarize })) add(event);
}

function* toTranscriptionEvents(
  answer: unknown,
  { wordTimestamps, diarize }: Pick<TranscriptionRequest, 'wordTimestamps' | 'diarize'>,
): Generator<TranscriptionEvent> {
  const fields = fieldsOf(answer);
  const { text, segments } = fields;
  if (typeof text !== 'string') throw unreadable('text: expected a string');
  const durationSeconds = numberOf(fields['duration']) || numberOf(fieldsOf(fields['usage'])['seconds']);
  // Servers report a language's code or its name.
  const code = typeof fields['language'] === 'string' ? toVocabularyLanguage(fields['language']) : undefined;
  const words = (Array.isArray(fields['words']) ? fields['words'] : []).map((one): TranscriptionWord => {
    const word = fieldsOf(one);
    return Object.assign({ word: String(word['word'] ?? '').trim() }, timesOf(word));
  });
  const listed = Array.isArray(segments) && segments.length > 0 ? segments : undefined;
  for (const [index, one] of (listed ?? [{ text, end: durationSeconds }]).entries()) {
    const segment = fieldsOf(one);
    const { startSeconds, endSeconds } = timesOf(segment);
    const isLast = index === (listed?.length ?? 1) - 1;
    const isWithin = (word: TranscriptionWord): boolean =>
      (index === 0 || word.startSeconds >= startSeconds) && (isLast || word.startSeconds < endSeconds);
    yield {
      type: 'segment',
      segment: {
        id: index,
        seek: numberOf(segment['seek']),
        startSeconds,
        endSeconds,
        text: diarize ? ` ${String(segment['text'] ?? '').trim()}` : String(segment['text'] ?? ''),
        tokens: Array.isArray(segment['tokens']) ? segment['tokens'].map(numberOf) : [],
        temperature: numberOf(segment['temperature']),
        averageLogprob: numberOf(segment['avg_logprob']),
        compressionRatio: numberOf(segment['compression_ratio']),
        noSpeechProbability: numberOf(segment['no_speech_prob']),
        ...(wordTimestamps ? { words: words.filter(isWithin) } : {}),
      },
    };
  }
  if (diarize) yield { type: 'speakers', segments: (listed ?? []).map(toSpeakerSegment) };
  yield { type: 'transcription-end', language: code && toIsoLanguage(code), durationSeconds };
}

function toSpeakerSegment(value: unknown): SpeakerSegment {
  const segment = fieldsOf(value);
  const { speaker, text } = segment;
  return { speaker: String(speaker ?? 'A'), ...timesOf(segment), text: String(text ?? '').trim() };
}

function timesOf({ start, end }: ReturnType<typeof fieldsOf>) {
  return { startSeconds: numberOf(start), endSeconds: numberOf(end) };
}

function numberOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}
