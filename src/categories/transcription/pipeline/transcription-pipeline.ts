import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { limitConcurrency } from '../../../concurrency/limit-concurrency.ts';
import type { Architecture } from '../../../contracts/architecture.ts';
import type { Pipeline } from '../../../contracts/category.ts';
import type { ModelSpec } from '../../../contracts/model.ts';
import type { SessionBackend } from '../../../contracts/sessions.ts';
import { assignSpeakers } from '../../../core/audio/diarization/assign-speakers.ts';
import { isSteadyNoise } from '../../../core/audio/frame-powers.ts';
import { findVoiceActivity } from '../../../core/audio/voice-activity.ts';
import { quote } from '../../../core/text/quote.ts';
import { fieldError, unsupportedError } from '../../../errors.ts';
import { readChangeTime } from '../../../folder/model-folder.ts';
import { locateModel } from '../../../folder/source.ts';
import { openAudio } from '../../../runtime/audio/open-audio.ts';
import type { TranscriptionEvent, TranscriptionModelInfo, TranscriptionSegment } from '../events.ts';
import { sampleRateHz, type Recognizer, type RecognizerAbility } from '../recognizer.ts';
import type { TranscriptionRequest } from '../request.ts';
import type { TranscriptionSettings } from '../settings.ts';
import { createDiarizer, type Diarizer, type DiarizationTools } from './diarizer.ts';
import { openDiarization } from './open-diarization.ts';
import { createSileroGate } from './silero-gate.ts';
import { beginStretches } from './stretch-recognition.ts';
import { transcribe as transcribeBlocks, type TranscriptionTools } from './transcriber.ts';
import { regionShape, type VoiceGate } from './voice-gate.ts';
import { servePipeline } from '../../serve-pipeline.ts';
import { releaseOnFailure } from '../../../concurrency/release-on-failure.ts';

/** By time; each channel waits for slower channels. */
export async function* mergeChannels(
  sources: readonly AsyncGenerator<TranscriptionEvent>[],
): AsyncGenerator<TranscriptionEvent> {
  const channels = sources.length;
  try {
    const heads: TranscriptionEvent[] = [];
    for (const source of sources) heads.push(await nextOf(source));
    for (let id = 0; ;) {
      const channel = heads.reduce(
        (first, head, at) => (timeOf(head) < timeOf(heads[first]!) ? at : first),
        0,
      );
      const event = heads[channel]!;
      if (event.type === 'segment') yield { ...event, segment: { ...event.segment, id: id++, channel } };
      else if (event.type === 'progress') yield { ...event, channels };
      else break;
      heads[channel] = await nextOf(sources[channel]!);
    }
    const ends = heads.filter((head) => head.type === 'transcription-end');
    const language = ends.find((end) => end.language !== undefined)?.language;
    yield { ...ends[0]!, language, channels };
  } finally {
    for (const source of sources) await source.return(undefined);
  }
}

/** A transcription always ends with `transcription-end`. */
async function nextOf(events: AsyncGenerator<TranscriptionEvent>): Promise<TranscriptionEvent> {
  return (await events.next()).value as TranscriptionEvent;
}

function timeOf(event: TranscriptionEvent): number {
  if (event.type === 'segment') return event.segment.startSeconds;
  return event.type === 'progress' ? event.seconds : Infinity;
}

export async function openVoiceGate(
  kind: string,
  { openSession }: Pick<SessionBackend, 'openSession'>,
): Promise<VoiceGate> {
  if (kind === 'none') return openGate;
  if (kind === 'energy') return energyGate;
  const path = resolve(kind);
  if (!existsSync(path)) {
    const reason = `expected energy, none or the path of a Silero VAD graph, found no ${path}`;
    throw fieldError('voiceActivity', reason);
  }
  return releaseOnFailure(async (own) =>
    createSileroGate(own(await openSession({ graph: path }, { threads: 1 }))),
  ).catch((error: unknown) => {
    throw fieldError('voiceActivity', `${path} is not a Silero VAD graph: ${(error as Error).message}`, {
      cause: error,
    });
  });
}

const openGate: VoiceGate = {
  find: async (samples) => [{ startSeconds: 0, endSeconds: samples.length / sampleRateHz }],
  release: async () => {},
};

const energyGate: VoiceGate = {
  find: async (samples) =>
    isSteadyNoise(samples, sampleRateHz) ? [] : findVoiceActivity(samples, { sampleRateHz, ...regionShape }),
  release: async () => {},
};

/** While one window is computed, a second can be read and decoded. */
const maxWindows = 2;
const defaultMaxAudioSeconds = 4 * 3600;

export async function loadTranscriptionPipeline(
  spec: ModelSpec<TranscriptionSettings>,
  sessions: SessionBackend,
  architecture: Architecture<Recognizer>,
): Promise<Pipeline<TranscriptionRequest, TranscriptionEvent, TranscriptionModelInfo>> {
  const { maxAudioSeconds = defaultMaxAudioSeconds, voiceActivity = 'energy', ffmpegPath } = spec;
  const { gate, diarization, recognizer } = await releaseOnFailure(async (own) => ({
    gate: own(await openVoiceGate(voiceActivity, sessions)),
    diarization: own(await openDiarization(spec, sessions)),
    recognizer: await architecture.open(spec, sessions),
  }));
  const { maxSeconds, contextLength, languages, abilities } = recognizer;
  const tools: TranscriptionTools = { maxSeconds, gate, inTurn: limitConcurrency(maxWindows, 1) };

  return servePipeline(spec, {
    /** Recordings take turns by window, so that short ones don't wait for long ones. */
    concurrency: 8,
    /** Slots for more owners. */
    reserve: 24,
    info: {
      category: 'transcription',
      contextLength,
      languages,
      takesPrompt: abilities.has('prompt'),
      created: await readChangeTime(join(locateModel(spec.source), 'config.json')),
    },
    async *run(request, { signal, owner }) {
      assertAble(request, recognizer);
      const diarizer = request.diarize
        ? createDiarizer(needDiarization(diarization), { inTurn: tools.inTurn, signal, owner })
        : undefined;
      const wordTimestamps = request.wordTimestamps || (request.diarize && abilities.has('wordTimestamps'));
      const transcribe = (blocks: AsyncIterable<Float32Array>): AsyncGenerator<TranscriptionEvent> => {
        const options = { ...request, wordTimestamps, signal };
        const recognition =
          'begin' in recognizer ? recognizer.begin(options) : beginStretches(recognizer, options);
        return transcribeBlocks(tools, { blocks, recognition, signal, owner });
      };
      const options = { maxSeconds: maxAudioSeconds, ffmpegPath, separate: request.multichannel, signal };
      const { blocks, streams, close } = await openAudio(request.audio, options);
      try {
        if (request.multichannel) yield* mergeChannels(streams.map(transcribe));
        else if (diarizer) yield* tellSpeakers(transcribe(diarizer.listen(blocks)), diarizer, request);
        else yield* transcribe(blocks);
      } finally {
        await close();
      }
    },
    models: [gate, diarization, recognizer],
  });
}

/** @throws InferenceError `unsupported_feature` */
function needDiarization(diarization: DiarizationTools | undefined): DiarizationTools {
  if (diarization) return diarization;
  const reason = "diarized_json isn't supported: the model's setting `diarization` is missing";
  throw unsupportedError('response_format', reason);
}

async function* tellSpeakers(
  events: AsyncIterable<TranscriptionEvent>,
  diarizer: Diarizer,
  { wordTimestamps }: TranscriptionRequest,
): AsyncGenerator<TranscriptionEvent> {
  const segments: TranscriptionSegment[] = [];
  for await (const event of events) {
    if (event.type === 'transcription-end')
      yield { type: 'speakers', segments: assignSpeakers(segments, diarizer.turns()) };
    if (event.type !== 'segment') {
      yield event;
      continue;
    }
    segments.push(event.segment);
    yield wordTimestamps ? event : { ...event, segment: { ...event.segment, words: undefined } };
  }
}

/** Ability → field of the request that needs it, and the error. */
const refusals: Readonly<Record<RecognizerAbility, readonly [param: string, reason: string]>> = {
  prompt: ['prompt', 'the model takes no prompt'],
  translation: ['model', 'the model does not translate'],
  temperature: ['temperature', 'expected 0 for this model'],
  wordTimestamps: [
    'timestamp_granularities',
    'the model has no word timestamps; a Whisper has them if its graph was exported with the outputs cross_attentions.*',
  ],
};

/** @throws InferenceError `unsupported_feature` naming the unsupported field */
function assertAble(request: TranscriptionRequest, { abilities, languages }: Recognizer): void {
  const { language, prompt = '', task, temperature, wordTimestamps } = request;
  if (language !== undefined && languages?.length === 0)
    throw unsupportedError('language', `the model has no language setting, got ${quote(language)}`);
  const wanted: Readonly<Record<RecognizerAbility, boolean>> = {
    prompt: prompt.trim() !== '',
    translation: task === 'translate',
    temperature: temperature !== 0,
    wordTimestamps,
  };
  for (const [ability, refusal] of Object.entries(refusals)) {
    if (wanted[ability as RecognizerAbility] && !abilities.has(ability as RecognizerAbility))
      throw unsupportedError(...refusal);
  }
}
