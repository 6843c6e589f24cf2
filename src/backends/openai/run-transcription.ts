import { InferenceError } from '../../errors.ts';
import type { CompleteRequest, PipelineRunOptions } from '../../contracts/run.ts';
import type { TranscriptionEvent, TranscriptionWord } from '../../categories/transcription/events.ts';
import type { TranscriptionRequest } from '../../categories/transcription/request.ts';
import { toIsoLanguage, toVocabularyLanguage } from '../../core/audio/whisper/languages.ts';
import { createFileForm } from '../../runtime/http/file-form.ts';
import { callApi, readJson, unreadable } from './api-client.ts';
import type { RemoteModel } from './remote-model.ts';
import { wordsOf } from './wire-error.ts';

const maxTranscriptBytes = 2 ** 26;

type Fields = Readonly<Record<string, unknown>>;

/** Models whose server answers with the plain text alone. */
const plain = new WeakSet<RemoteModel>();

/** Runs a transcription request on a server of the wire format. */
export async function* runTranscription(
  model: RemoteModel,
  request: TranscriptionRequest & CompleteRequest,
  { signal }: PipelineRunOptions,
): AsyncGenerator<TranscriptionEvent> {
  const { name, servers, extraBody } = model;
  const { audio, language, prompt, temperature, wordTimestamps, task, given = ['temperature'] } = request;
  const isTranslation = task === 'translate';
  const path = isTranslation ? '/audio/translations' : '/audio/transcriptions';
  const granularities = wordTimestamps ? ['segment', 'word'] : ['segment'];
  const send = (server: Parameters<typeof callApi>[0]) => {
    const isPlain = plain.has(model);
    const fields: [string, unknown][] = [
      ...Object.entries(extraBody),
      ['model', name],
      ['response_format', isPlain ? 'json' : 'verbose_json'],
      ['language', language],
      ['prompt', prompt],
      ['temperature', given.includes('temperature') ? temperature : undefined],
      // Translations have no times of words.
      ...(isPlain || isTranslation
        ? []
        : granularities.map((one): [string, string] => ['timestamp_granularities[]', one])),
    ];
    const form = createFileForm(fields, audio);
    const subject = { param: 'file', model, fields: fields.map(([field]) => field) };
    return callApi(server, { path, form, signal, subject });
  };
  const transcript = await servers.ask(async (server) => {
    const answer = await send(server).catch((error: unknown) => {
      if (wordTimestamps || plain.has(model) || !wantsPlain(error)) throw error;
      plain.add(model);
      return send(server);
    });
    return readJson(answer, maxTranscriptBytes);
  }, signal);
  yield* toTranscriptionEvents(transcript, wordTimestamps);
}

/** As servers refuse `verbose_json`. */
function wantsPlain(error: unknown): boolean {
  return (
    InferenceError.isInstance(error) &&
    error.code === 'invalid_request' &&
    /response_format|verbose_json/.test(wordsOf(error))
  );
}

function* toTranscriptionEvents(answer: unknown, wordTimestamps: boolean): Generator<TranscriptionEvent> {
  const fields = fieldsOf(answer);
  const { text, segments } = fields;
  if (typeof text !== 'string') throw unreadable('text: expected a string');
  const durationSeconds = numberOf(fields['duration']) || numberOf(fieldsOf(fields['usage'])['seconds']);
  const language = typeof fields['language'] === 'string' ? fields['language'] : undefined;
  const words = (Array.isArray(fields['words']) ? fields['words'] : []).map(toWord);
  const listed = Array.isArray(segments) && segments.length > 0 ? segments : undefined;
  for (const [index, one] of (listed ?? [{ text, end: durationSeconds }]).entries()) {
    const segment = fieldsOf(one);
    const [startSeconds, endSeconds] = [numberOf(segment['start']), numberOf(segment['end'])];
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
        text: String(segment['text'] ?? ''),
        tokens: Array.isArray(segment['tokens']) ? segment['tokens'].map(numberOf) : [],
        temperature: numberOf(segment['temperature']),
        averageLogprob: numberOf(segment['avg_logprob']),
        compressionRatio: numberOf(segment['compression_ratio']),
        noSpeechProbability: numberOf(segment['no_speech_prob']),
        ...(wordTimestamps ? { words: words.filter(isWithin) } : {}),
      },
    };
  }
  yield { type: 'transcription-end', language: codeOf(language), durationSeconds };
}

/** Servers report the code of a language, or its name. */
function codeOf(language: string | undefined): string | undefined {
  const code = language === undefined ? undefined : toVocabularyLanguage(language);
  return code === undefined ? undefined : toIsoLanguage(code);
}

function toWord(value: unknown): TranscriptionWord {
  const { word, start, end } = fieldsOf(value);
  return { word: String(word ?? '').trim(), startSeconds: numberOf(start), endSeconds: numberOf(end) };
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

function numberOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}
