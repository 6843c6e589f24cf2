import type { Device } from '../core/device.ts';
export type RuntimeName = 'native' | 'onnxruntime-node';

export interface OnnxSessionOptions {
  /** Default `cpu`. A device that doesn't work here makes the creation fail; nothing falls back by itself. */
  readonly device?: Device | undefined;
  /** Options of a plugin's provider, where the plugin's own settings don't have them. */
  readonly providerOptions?: Readonly<Record<string, string>> | undefined;
  /** Threads of one operator; default cores − 1, at least 1, so that the host keeps a core. */
  readonly threads?: number | undefined;
  /** Folder of the weight files of a model that is given as bytes; default: none. */
  readonly weightsFolder?: string | undefined;
  /** Default: native where it works, see `chooseRuntime`. */
  readonly runtime?: RuntimeName | undefined;
}

/**
 * Microseconds for which a thread without work stays awake, because the next operator follows soon; the runtime's own default
 * keeps a processor busy for 50 ms after each run.
 */
const spinMicroseconds = 50;

/** Session configuration entries of both runtimes. */
export function toConfigurationEntries({
  weightsFolder,
}: Pick<OnnxSessionOptions, 'weightsFolder'>): Record<string, string> {
  return {
    'session.intra_op.spin_duration_us': String(spinMicroseconds),
    ...(weightsFolder !== undefined && {
      'session.model_external_initializers_file_folder_path': weightsFolder,
    }),
  };
}
