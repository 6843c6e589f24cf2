import { Worker } from 'node:worker_threads';

/** How often a worker beats. */
export const beatIntervalMs = 500;
/** The file descriptor of the pipe on which it does. */
export const beatPipe = 4;
/** The event loop has turned since the last beat. */
export const idleBeat = '+';
/** It has not: a step of the model, or an endless loop, occupies it. */
export const busyBeat = '-';

/** Lets this process beat from a thread of its own. */
export function startHeartbeat(): void {
  const shared = new SharedArrayBuffer(4);
  const turns = new Int32Array(shared);
  setInterval(() => Atomics.add(turns, 0, 1), beatIntervalMs / 2).unref();
  const thread = new Worker(new URL('./heartbeat-thread.js', import.meta.url), {
    workerData: shared,
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 1 },
  });
  thread.unref();
  // A process that beats no more counts as hung, which is worse than one that never has.
  thread.on('error', () => process.exit(1));
}

/** Health of a worker by its beats. */
export interface Pulse {
  /** Takes beats as they come. */
  read(beats: string): void;
  /** Whether the worker is alive and its event loop occupied. */
  readonly isBusy: boolean;
  stop(): void;
}

/**
 * Watches a worker from its first beat on.
 *
 * @param options.hangMs silence after which a worker counts as hung; time in which this process stood still doesn't count
 * @param options.onHang called once
 */
export function watchPulse({ hangMs, onHang }: { readonly hangMs: number; onHang(): void }): Pulse {
  let silentChecks = 0;
  let isBusy = false;
  let timer: NodeJS.Timeout | undefined;
  const checks = Math.max(1, Math.round(hangMs / beatIntervalMs));
  // Checks are counted, not milliseconds: after a standstill of this process one of them comes, and then the beats.
  const check = (): void => {
    silentChecks += 1;
    if (silentChecks <= checks) return;
    clearInterval(timer);
    onHang();
  };
  return {
    read(beats) {
      timer ??= setInterval(check, beatIntervalMs).unref();
      silentChecks = 0;
      isBusy = beats.endsWith(busyBeat);
    },
    get isBusy() {
      return isBusy;
    },
    stop: () => clearInterval(timer),
  };
}
