import type { BackendDefinition } from '../../contracts/backend.ts';

/** ONNX Runtime in a worker process of this machine; plain data. */
export interface OnnxBackend {
  readonly kind: 'onnx';
}

/**
 * ONNX Runtime in a worker process of this machine, the default.
 *
 * @example
 * ```ts
 * chat({ source: './models/my-model', backend: onnx() });
 * ```
 */
export function onnx(): OnnxBackend {
  return { kind: 'onnx' };
}

/** Runs the models of every category. */
export const onnxDefinition: BackendDefinition = {
  kind: 'onnx',
  spelling: 'onnx()',
  settings: {},
  place: 'worker',
  foreignSettings: [],
  runs: () => true,
  open: async () => ({ sessions: (await import('./sessions.ts')).onnxSessions }),
};
