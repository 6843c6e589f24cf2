import { createOnnxSession } from '../../runtime/onnx.ts';
import type { Backend } from '../../contracts/backend.ts';
import { openTextModel } from './chat/open-text-model.ts';
import { loadTransformersPackage } from './load-package.ts';

/**
 * Opens the backend. Its architectures open whole models; additional graphs, such as a speech detector, use the common
 * runtime.
 */
export async function openTransformers(): Promise<Backend> {
  await loadTransformersPackage();
  return {
    sessions: {
      hasGraphs: true,
      openSession: ({ graph }, { device, threads }) => createOnnxSession(graph, { device, threads }),
      openTextModel,
    },
  };
}
