import type { Device } from '../core/device.ts';
import { availableParallelism } from 'node:os';

export type RuntimeName = 'native' | 'onnxruntime-node';

export interface OnnxSessionOptions {
  /** Default `cpu`. If a device doesn't work here, creation fails; there is no automatic fallback. */
  readonly device?: Device | undefined;
  /** Options of a plugin's provider; the plugin's own settings take precedence. */
  readonly providerOptions?: Readonly<Record<string, string>> | undefined;
  /** Threads per operator; default cores − 1, at least 1, so that the host keeps a core. */
  readonly threads?: number | undefined;
  /** Folder of the weight files of a model given as bytes. */
  readonly weightsFolder?: string | undefined;
  /** Default: native if it works, see `chooseRuntime`. */
  readonly runtime?: RuntimeName | undefined;
}

/**
 * Microseconds for which an idle thread spins, because the next operator follows soon; the runtime's default keeps a
 * CPU busy for 50 ms after each run.
 */
const spinMicroseconds = 50;

/** Session configuration entries of both runtimes. */
export function toConfigurationEntries({ weightsFolder }: OnnxSessionOptions): Record<string, string> {
  return {
    'session.intra_op.spin_duration_us': String(spinMicroseconds),
    ...(weightsFolder !== undefined && {
      'session.model_external_initializers_file_folder_path': weightsFolder,
    }),
  };
}

/** Default number of threads of a model: the host keeps a core. */
export const defaultThreads = (): number => Math.max(1, availableParallelism() - 1);
