import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { limitConcurrency } from '../../../concurrency/limit-concurrency.ts';
import { OpenRuns } from '../../../concurrency/open-runs.ts';
import { assertWanted, fieldError } from '../../../errors.ts';
import { readChangeTime } from '../../../models/model-folder.ts';
import { locateModel } from '../../../models/source.ts';
import { openAudio } from '../../../runtime/audio/open-audio.ts';
import type { ModelSpec, Pipeline, RunOptions } from '../../../categories/contract.ts';
import type {
  TranscriptionEvent,
  TranscriptionModelInfo,
  TranscriptionSegment,
} from '../../../categories/transcription/events.ts';
import type { TranscriptionRequest } from '../../../categories/transcription/request.ts';
import type { TranscriptionSettings } from '../../../categories/transcription/settings.ts';
import { loadRecognizer } from './load-recognizer.ts';
import type { Recognizer } from './recognizer.ts';
import { speechStretches, type SpeechStretch } from './speech-stretches.ts';

const defaultMaxAudioSeconds = 4 * 3600;
/** Recordings take turns, stretch by stretch. */
const concurrency = 8;
/** Models of this kind were trained on up to so much. */
const longestSeconds = 28;

/**
 * Loads a transcription model of an architecture of `@huggingface/transformers`.
 *
 * @throws InferenceError `invalid_request` naming the file or setting that doesn't fit
 */
export async function loadTransformersTranscription(
  spec: ModelSpec<TranscriptionSettings>,
): Promise<Pipeline<TranscriptionRequest, TranscriptionEvent, TranscriptionModelInfo>> {
  const { maxAudioSeconds = defaultMaxAudioSeconds, ffmpegPath } = spec;
  const path = locateModel(spec.source);
  const recognizer = await loadRecognizer(path, spec);
  const { sampleRateHz } = recognizer;
  if (sampleRateHz !== 16_000) {
    await recognizer.release();
    throw fieldError('source', `expected a recogniser for 16000 Hz, got one for ${sampleRateHz}`);
  }
  const runs = new OpenRuns();
  const inTurn = limitConcurrency(1);

  async function* run(
    request: TranscriptionRequest,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<TranscriptionEvent> {
    assertTaken(request, recognizer);
    const { language } = request;
    const audio = await openAudio(request.audio, { maxSeconds: maxAudioSeconds, ffmpegPath, signal });
    try {
      const stretches = speechStretches(audio.blocks, { sampleRateHz, longestSeconds });
      let id = 0;
      for (;;) {
        const { done, value } = await stretches.next();
        if (done) {
          yield { type: 'transcription-end', language, durationSeconds: value };
          return;
        }
        const recognized = await inTurn(() => {
          assertWanted(signal);
          return recognizer.recognize(value.samples, { language, signal });
        });
        if (recognized.text === '') continue;
        const words = request.wordTimestamps ? recognized.words : undefined;
        yield { type: 'segment', segment: toSegment(id++, value, { ...recognized, words }, sampleRateHz) };
      }
    } finally {
      await audio.close();
    }
  }

  return {
    concurrency,
    info: {
      id: spec.id,
      name: spec.name ?? spec.id,
      category: 'transcription',
      contextLength: 0,
      created: await readChangeTime(join(path, 'config.json')),
      ownedBy: 'slashv1',
    },
    run: (request, { signal }: RunOptions = {}) => runs.track(run(request, signal)),
    async close() {
      await runs.ended();
      await recognizer.release();
    },
  };
}

/** @throws InferenceError `unsupported_feature` naming the field that the model can't follow */
function assertTaken(
  { language, prompt, wordTimestamps, task, temperature }: TranscriptionRequest,
  { takesLanguage, hasWordTimes }: Recognizer,
): void {
  const refuse = (param: string, reason: string): never => {
    throw fieldError(param, reason, { code: 'unsupported_feature' });
  };
  if (language !== undefined && !takesLanguage) refuse('language', 'the model takes no language');
  if (prompt !== undefined && prompt.trim() !== '') refuse('prompt', 'the model takes no prompt');
  if (task !== 'transcribe') refuse('task', 'the model writes no translations');
  if (temperature !== 0) refuse('temperature', `expected 0 for this model, got ${temperature}`);
  if (wordTimestamps && !hasWordTimes) refuse('timestamp_granularities', 'the model has no word timestamps');
}

function toSegment(
  id: number,
  { startSeconds, samples }: SpeechStretch,
  { text, tokens, averageLogprob, words }: Awaited<ReturnType<Recognizer['recognize']>>,
  sampleRateHz: number,
): TranscriptionSegment {
  const bytes = Buffer.from(text);
  return {
    id,
    seek: Math.round(startSeconds * 100),
    startSeconds,
    endSeconds: startSeconds + samples.length / sampleRateHz,
    text: ` ${text}`,
    tokens,
    temperature: 0,
    averageLogprob,
    compressionRatio: bytes.length / deflateSync(bytes).length,
    // Silence was left out before.
    noSpeechProbability: 0,
    ...(words && {
      words: words.map((word) => ({
        ...word,
        startSeconds: startSeconds + word.startSeconds,
        endSeconds: startSeconds + word.endSeconds,
      })),
    }),
  };
}
