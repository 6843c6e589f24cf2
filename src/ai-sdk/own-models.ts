import { Buffer } from 'node:buffer';
import type { OpenAICompatibleProvider } from '@ai-sdk/openai-compatible';
import { APICallError } from '@ai-sdk/provider';
import { rerankRequestSchema, type RerankResponse } from '../categories/rerank/wire/bodies.ts';
import { speechRequestSchema } from '../categories/speech/wire/schema.ts';
import {
  transcriptionFieldsSchema,
  type DiarizedTranscription,
  type VerboseTranscription,
} from '../categories/transcription/wire/schema.ts';
import type { ErrorBody } from '../contracts/endpoint.ts';
import { toIsoLanguage, toVocabularyLanguage } from '../core/audio/whisper/languages.ts';
import { optionsOf, type SdkCall, type Serve } from './fields.ts';

type Kinds = Required<
  Pick<OpenAICompatibleProvider, 'transcriptionModel' | 'speechModel' | 'rerankingModel'>
>;

/** Model kinds missing from the SDK's openai-compatible provider. */
export function createOwnModels(serve: Serve, baseURL: string, version: 'v4'): Kinds {
  const identity = (modelId: string, category: string) => ({
    specificationVersion: version,
    provider: `slashv1.${category}`,
    modelId,
  });
  const post = async (path: string, body: object, { abortSignal }: SdkCall): Promise<Response> => {
    const isForm = body instanceof FormData;
    const response = await serve(baseURL + path, {
      method: 'POST',
      body: isForm ? body : JSON.stringify(body),
      headers: isForm ? {} : { 'content-type': 'application/json' },
      signal: abortSignal ?? null,
    });
    if (response.ok) return response;
    const data = (await response.json()) as ErrorBody;
    throw new APICallError({
      message: data.error.message,
      url: baseURL + path,
      requestBodyValues: isForm ? {} : body,
      statusCode: response.status,
      responseHeaders: Object.fromEntries(response.headers),
      data,
    });
  };
  const answerOf = (modelId: string) => ({ response: { timestamp: new Date(), modelId } });
  return {
    speechModel: (modelId) => ({
      ...identity(modelId, 'speech'),
      async doGenerate({ text: input, voice, speed, instructions, language, outputFormat = 'wav', ...call }) {
        const options = optionsOf(call, speechRequestSchema);
        const body = {
          input,
          voice,
          speed,
          response_format: outputFormat,
          ...options,
          model: modelId,
        };
        const audio = await (await post('/audio/speech', body, call)).arrayBuffer();
        const left = Object.entries({ instructions, language }).filter(([, value]) => value !== undefined);
        const warnings = left.map(([feature]) => ({ type: 'unsupported' as const, feature }));
        return { audio: new Uint8Array(audio), warnings, ...answerOf(modelId) };
      },
    }),
    transcriptionModel: (modelId) => ({
      ...identity(modelId, 'transcription'),
      async doGenerate({ audio, timestampGranularities: units = [], ...call }) {
        const { task, diarize, ...options } = optionsOf(call, transcriptionFieldsSchema, 'task', 'diarize');
        const form = new FormData();
        form.append(
          'file',
          new Blob([typeof audio === 'string' ? Buffer.from(audio, 'base64') : new Uint8Array(audio)]),
        );
        form.append('response_format', diarize === true ? 'diarized_json' : 'verbose_json');
        const wanted = units.length === 0 ? [] : ['segment', ...units];
        for (const unit of new Set(wanted)) form.append('timestamp_granularities[]', unit);
        form.append('model', modelId);
        for (const [name, value] of Object.entries(options)) form.append(name, String(value));
        const path = task === 'translate' ? '/audio/translations' : '/audio/transcriptions';
        const answer = (await (await post(path, form, call)).json()) as
          VerboseTranscription | DiarizedTranscription;
        return { ...toTranscript(answer), warnings: [], ...answerOf(modelId) };
      },
    }),
    rerankingModel: (modelId) => ({
      ...identity(modelId, 'rerank'),
      async doRerank({ documents: { type, values }, query, topN, ...call }) {
        const documents = values.map((one) => (typeof one === 'string' ? one : JSON.stringify(one)));
        const body = {
          query,
          documents,
          top_n: topN,
          ...optionsOf(call, rerankRequestSchema),
          model: modelId,
        };
        const { results } = (await (await post('/rerank', body, call)).json()) as RerankResponse;
        const details = 'The model reads them as JSON.';
        return {
          ranking: results.map(({ index, relevance_score: relevanceScore }) => ({ index, relevanceScore })),
          warnings: type === 'text' ? [] : [{ type: 'compatibility', feature: 'object documents', details }],
          ...answerOf(modelId),
        };
      },
    }),
  };
}

function toTranscript(answer: VerboseTranscription | DiarizedTranscription) {
  const { text, duration, segments = [] } = answer;
  const toTimed = (words: string, { start, end }: { start: number; end: number }) => ({
    text: words.trim(),
    startSecond: start,
    endSecond: end,
  });
  const timed = segments.map((segment) => toTimed(segment.text, segment));
  const common = { text, segments: timed, durationInSeconds: duration, language: undefined };
  if (!('language' in answer)) {
    const speakerSegments = answer.segments.map((one) =>
      Object.assign(toTimed(one.text, one), { speaker: one.speaker }),
    );
    return { ...common, providerMetadata: { slashv1: { speakerSegments } } };
  }
  return {
    ...common,
    language: toIsoLanguage(toVocabularyLanguage(answer.language) ?? answer.language),
    ...(answer.words && { words: answer.words.map((one) => toTimed(one.word, one)) }),
  };
}
