import { fieldError } from '../../errors.ts';
import type { ModelSpec } from '../../categories/contract.ts';
import type { Backend, LoadPipeline } from '../contract.ts';
import { openTextModel } from './chat/open-text-model.ts';
import { loadTransformersPackage } from './load-package.ts';

/** Categories whose whole pipelines are here; that of chat opens its decoder here. */
const pipelines: Readonly<Record<string, () => Promise<LoadPipeline>>> = {
  transcription: async () =>
    (await import('./transcription/transcription-pipeline.ts')).loadTransformersTranscription as LoadPipeline,
  speech: async () => (await import('./speech/speech-pipeline.ts')).loadTransformersSpeech as LoadPipeline,
  detection: async () =>
    (await import('./detection/detection-pipeline.ts')).loadTransformersDetection as LoadPipeline,
  embedding: async () =>
    (await import('./embedding/embedding-pipeline.ts')).loadTransformersEmbedding as LoadPipeline,
};

/** @throws InferenceError `invalid_request` where the package is missing or doesn't fit */
export async function openTransformers({ category }: ModelSpec): Promise<Backend> {
  await loadTransformersPackage();
  if (category === 'chat') {
    return {
      sessions: {
        hasGraphs: true,
        openSession: () => {
          throw fieldError('backend', 'the backend transformers() runs whole models');
        },
        openTextModel,
      },
    };
  }
  return {
    needsFiles: true,
    async loadPipeline(spec) {
      const load = pipelines[spec.category!];
      if (!load)
        throw fieldError('backend', `the backend transformers() runs no models for ${spec.category}`);
      return (await load())(spec);
    },
  };
}
