import type { TranscriptionSettings } from '../settings.ts';
import { createLogMel } from '../../../core/audio/log-mel.ts';
import { fieldError } from '../../../errors.ts';
import { locateModel } from '../../../models/source.ts';
import { openWhisperFolder } from './whisper-folder.ts';
import { openAudio } from '../../../runtime/audio/open-audio.ts';
import type { ModelSpec, Pipeline, RunOptions } from '../../contract.ts';
import type { TranscriptionEvent, TranscriptionModelInfo } from '../events.ts';
import type { TranscriptionRequest } from '../request.ts';
import { limitConcurrency } from '../../../concurrency/limit-concurrency.ts';
import { OpenRuns } from '../../../concurrency/open-runs.ts';
import { createWindowDecoder } from './window-decoder.ts';
import { assertTask, languagesOf, readLanguage, readPrompt } from './request-tokens.ts';
import { Transcriber, type TranscriptionTools } from './transcriber.ts';
import { openVoiceGate } from './open-voice-gate.ts';
import { loadWhisperModel, type WhisperModel } from './whisper-model.ts';
import { alignmentHeadsOf } from './word-times.ts';

/** Recordings take turns window by window, so that a short one need not wait for the end of long ones. */
const concurrency = 8;
/** Recordings of other owners. */
const reserve = 8;
/** While one window is computed, another can be read and decoded. */
const mostWindows = 2;
const defaultMaxAudioSeconds = 4 * 3600;

/**
 * Loads a transcription model: a Whisper in the hub's ONNX layout.
 *
 * @throws InferenceError `invalid_request` naming the file or setting that doesn't fit
 */
export async function loadTranscriptionPipeline(
  spec: ModelSpec<TranscriptionSettings>,
): Promise<Pipeline<TranscriptionRequest, TranscriptionEvent, TranscriptionModelInfo>> {
  const { maxAudioSeconds = defaultMaxAudioSeconds, voiceActivity = 'energy' } = spec;
  if (!(maxAudioSeconds > 0)) {
    throw fieldError('maxAudioSeconds', `expected more than 0, got ${maxAudioSeconds}`);
  }
  const folder = await openWhisperFolder(locateModel(spec.source), spec);
  const gate = await openVoiceGate(voiceActivity);
  let model: WhisperModel;
  try {
    model = await loadWhisperModel(folder, { device: spec.device, threads: spec.threads });
  } catch (error) {
    await gate.release();
    throw error;
  }
  return new TranscriptionPipeline(
    { ...spec, maxAudioSeconds },
    {
      folder,
      model,
      gate,
      inTurn: limitConcurrency(mostWindows),
      decoder: createWindowDecoder(model, folder),
      logMel: createLogMel({ melBins: folder.melBins, chunkSamples: folder.windowFrames * 160 }),
    },
  );
}

class TranscriptionPipeline implements Pipeline<
  TranscriptionRequest,
  TranscriptionEvent,
  TranscriptionModelInfo
> {
  readonly concurrency = concurrency;
  readonly reserve = reserve;
  readonly info: TranscriptionModelInfo;
  readonly #spec: ModelSpec<TranscriptionSettings> & { readonly maxAudioSeconds: number };
  readonly #tools: TranscriptionTools;
  readonly #runs = new OpenRuns();

  constructor(
    spec: ModelSpec<TranscriptionSettings> & { readonly maxAudioSeconds: number },
    tools: TranscriptionTools,
  ) {
    this.#spec = spec;
    this.#tools = tools;
    const { folder } = tools;
    this.info = {
      id: spec.id,
      name: spec.name ?? spec.id,
      category: 'transcription',
      contextLength: folder.contextLength,
      languages: languagesOf(folder),
      created: folder.created,
      ownedBy: 'slashv1',
    };
  }

  run(request: TranscriptionRequest, options: RunOptions = {}): AsyncGenerator<TranscriptionEvent> {
    return this.#runs.track(this.#run(request, options));
  }

  async close(): Promise<void> {
    await this.#runs.ended();
    await this.#tools.gate.release();
    await this.#tools.model.release();
  }

  async *#run(
    request: TranscriptionRequest,
    { signal, owner }: RunOptions,
  ): AsyncGenerator<TranscriptionEvent> {
    const { folder, model } = this.#tools;
    const language = readLanguage(request.language, folder);
    const prompt = readPrompt(request.prompt, folder);
    const { temperature, wordTimestamps, task } = request;
    assertTask(task, folder);
    if (wordTimestamps && alignmentHeadsOf(model, folder).length === 0) {
      throw fieldError(
        'timestamp_granularities',
        'the model has no word timestamps, because its graph was exported without the outputs cross_attentions.*',
        { code: 'unsupported_feature' },
      );
    }
    const { maxAudioSeconds, ffmpegPath } = this.#spec;
    const audio = await openAudio(request.audio, { maxSeconds: maxAudioSeconds, ffmpegPath, signal });
    try {
      const { blocks } = audio;
      const job = { blocks, language, prompt, task, temperature, wordTimestamps, signal, owner };
      yield* new Transcriber(this.#tools, job).run();
    } finally {
      await audio.close();
    }
  }
}
