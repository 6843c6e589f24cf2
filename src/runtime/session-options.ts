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
  /**
   * Microseconds for which a thread without work stays awake, because the next operator follows soon; 0 where other work
   * needs the processors. Default 50; the runtime's own default keeps a processor busy for 50 ms after each run.
   */
  readonly spinMicroseconds?: number | undefined;
  /** Level of the graph rewrites by the runtime at load time; default `all`. */
  readonly graphOptimization?: keyof typeof graphOptimizationLevels | undefined;
  /** Whether the memory of a run is kept for the next; default true. */
  readonly memoryArena?: boolean | undefined;
  /** Default: native where it works, see `chooseRuntime`. */
  readonly runtime?: RuntimeName | undefined;
}

/** `GraphOptimizationLevel` of the C API. */
export const graphOptimizationLevels = { none: 0, basic: 1, extended: 2, all: 99 } as const;

/** Session configuration entries of both runtimes. */
export function toConfigurationEntries({
  spinMicroseconds = 50,
  weightsFolder,
}: OnnxSessionOptions): Record<string, string> {
  return {
    ...(spinMicroseconds > 0
      ? { 'session.intra_op.spin_duration_us': String(spinMicroseconds) }
      : { 'session.intra_op.allow_spinning': '0' }),
    ...(weightsFolder !== undefined && {
      'session.model_external_initializers_file_folder_path': weightsFolder,
    }),
  };
}
