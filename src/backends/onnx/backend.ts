import type { BackendDefinition } from '../../contracts/backend.ts';
import type { OnnxBackend } from './settings.ts';

export type { OnnxBackend } from './settings.ts';

/**
 * ONNX Runtime in a worker process of this machine, the default.
 *
 * @example
 * ```ts
 * chat({ source: './models/my-model', backend: onnx({ library: './venv' }) });
 * ```
 */
export function onnx(options: Omit<OnnxBackend, 'kind'> = {}): OnnxBackend {
  return { ...options, kind: 'onnx' };
}

/** Runs the models of every category. */
export const onnxDefinition: BackendDefinition = {
  kind: 'onnx',
  spelling: 'onnx()',
  place: 'worker',
  foreignSettings: [],
  runs: () => true,
  devices: (descriptor) =>
    ((descriptor as OnnxBackend | undefined)?.plugins ?? []).map(({ provider }) => provider),
  async open({ backend }) {
    const { onnxSessions, prepareRuntime } = await import('./sessions.ts');
    await prepareRuntime(backend as OnnxBackend | undefined);
    return { sessions: onnxSessions };
  },
};
