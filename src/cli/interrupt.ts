import { exitCode } from './command.ts';

/** Ctrl-C, or the signal that asks a service to end. */
export interface Interruption {
  /** Aborted by the first one. */
  readonly signal: AbortSignal;
  /** Resolves with the first one. */
  readonly first: Promise<void>;
  /** From now on signals have their usual effect. */
  stop(): void;
}

/** Waits for signals: the first one is for the command to heed, the second ends the process at once. */
export function watchInterrupts(): Interruption {
  const controller = new AbortController();
  const first = new Promise<void>((resolve) => controller.signal.addEventListener('abort', () => resolve()));
  const listener = (): void => {
    if (controller.signal.aborted) process.exit(exitCode.interrupted);
    controller.abort();
  };
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const signal of signals) process.on(signal, listener);
  return {
    signal: controller.signal,
    first,
    stop() {
      for (const signal of signals) process.off(signal, listener);
    },
  };
}
