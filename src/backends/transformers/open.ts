import type { ModelSpec } from '../../categories/contract.ts';
import { createOnnxSession } from '../../runtime/onnx.ts';
import type { Backend, LoadPipeline, SessionBackend } from '../contract.ts';
import { openTextModel } from './chat/open-text-model.ts';
import { loadTransformersPackage } from './load-package.ts';

/** Categories whose whole pipelines are here. */
const pipelines: Readonly<Record<string, () => Promise<LoadPipeline>>> = {
  detection: async () =>
    (await import('./detection/detection-pipeline.ts')).loadTransformersDetection as LoadPipeline,
  embedding: async () =>
    (await import('./embedding/embedding-pipeline.ts')).loadTransformersEmbedding as LoadPipeline,
};

/** Its architectures open whole models; graphs beside them, such as one that finds speech, run as everywhere. */
const sessions: SessionBackend = {
  hasGraphs: true,
  openSession: ({ graph }, { device, threads }) => createOnnxSession(graph, { device, threads }),
  openTextModel,
};

/** @throws InferenceError `invalid_request` where the package is missing or doesn't fit */
export async function openTransformers({ category }: ModelSpec): Promise<Backend> {
  await loadTransformersPackage();
  const load = pipelines[category!];
  if (!load) return { sessions };
  return { needsFiles: true, loadPipeline: async (spec) => (await load())(spec) };
}
