import { InferenceError } from './errors.ts';
import { obtainModel } from './models/hub/obtain-model.ts';
import { createProgressLine } from './models/hub/progress-line.ts';
import type { Category, ModelSpec, Pipeline } from './categories/contract.ts';
import { loadChatPipeline } from './categories/chat/pipeline/chat-pipeline.ts';
import { loadDetectionPipeline } from './categories/detection/pipeline/detection-pipeline.ts';
import { loadEmbeddingPipeline } from './categories/embedding/pipeline/embedding-pipeline.ts';
import { loadImagePipeline } from './categories/image/pipeline/image-pipeline.ts';
import { loadSpeechPipeline } from './categories/speech/pipeline/speech-pipeline.ts';
import { isRemote } from './backends/open-session.ts';
import { endAtAbort } from './backends/kserve/end-at-abort.ts';
import { loadTranscriptionPipeline } from './categories/transcription/pipeline/transcription-pipeline.ts';

/**
 * Loads a model into this process, after a download where it comes from the network; standard error shows how that
 * goes.
 *
 * @throws InferenceError `invalid_request` when its files are missing or don't fit its category; `worker_failed` when
 * they can't be downloaded
 */
export async function loadPipeline<C extends Category>(spec: ModelSpec<C>): Promise<Pipeline<C>> {
  if (spec.remote && !remoteCategories.has(spec.category)) {
    throw new InferenceError(
      'invalid_request',
      `remote: the graphs of models for ${spec.category} can't run on another machine`,
      { param: 'remote' },
    );
  }
  const obtained = await obtainModel(spec, {
    onProgress: createProgressLine(process.stderr),
    onWarning: (message) => console.warn(`slashv1: ${message}`),
  });
  const pipeline = await loaders[spec.category]({ ...spec, ...obtained });
  return isRemote(spec) ? endAtAbort(pipeline) : pipeline;
}

/** Whose graphs keep nothing from one run to the next. */
const remoteCategories: ReadonlySet<Category> = new Set(['detection', 'embedding', 'image']);

const loaders: { [C in Category]: (spec: ModelSpec<C>) => Promise<Pipeline<C>> } = {
  chat: loadChatPipeline,
  detection: loadDetectionPipeline,
  embedding: loadEmbeddingPipeline,
  image: loadImagePipeline,
  speech: loadSpeechPipeline,
  transcription: loadTranscriptionPipeline,
};
