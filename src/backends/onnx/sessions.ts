import { dirname } from 'node:path';
import { createOnnxSession } from '../../runtime/onnx.ts';
import type { SessionBackend } from '../../contracts/sessions.ts';
import { openTextModel } from './chat/open-text-model.ts';

/** Graphs on this disk, run by ONNX Runtime in this process. */
export const onnxSessions: SessionBackend = {
  hasGraphs: true,
  openSession: ({ graph, bytes }, { device, threads }) =>
    bytes
      ? createOnnxSession(bytes, { device, threads, weightsFolder: dirname(graph) })
      : createOnnxSession(graph, { device, threads }),
  openTextModel,
};
