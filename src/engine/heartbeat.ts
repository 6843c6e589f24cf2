import { Worker } from 'node:worker_threads';

export const beatIntervalMs = 500;
export const beatPipe = 4;

export interface Beat {
  /** Whether the event loop has been blocked since the last beat, by a model step or an endless loop. */
  readonly isOccupied: boolean;
  /** CPU time of all the worker's threads since its start. */
  readonly cpuMs: number;
}

/** Formats a beat for the pipe. */
export function formatBeat({ isOccupied, cpuMs }: Beat): string {
  return `${isOccupied ? '-' : '+'}${Math.round(cpuMs)}\n`;
}

export function startHeartbeat(): void {
  const shared = new SharedArrayBuffer(4);
  const turns = new Int32Array(shared);
  setInterval(() => Atomics.add(turns, 0, 1), beatIntervalMs / 2).unref();
  const thread = new Worker(new URL('./heartbeat-thread.js', import.meta.url), {
    workerData: shared,
    execArgv: [],
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 1 },
  });
  thread.unref();
  // Otherwise the worker would count as hung, which is worse than exiting.
  thread.on('error', () => process.exit(1));
}

/** Silence after which a worker is checked for having been stopped by a signal. */
export const stopMs = 3000;
/** An idle worker uses 0.4 to 0.7 ms per beat. */
const minWorkMs = 2;

export type Pulse = ReturnType<typeof watchPulse>;

/** Watches a worker from its first beat on. */
export function watchPulse({
  hangMs,
  onHang,
  isStopped = () => false,
  memoryMs = 0,
}: {
  hangMs: number;
  onHang(): void;
  isStopped?(): boolean;
  memoryMs?: number;
}) {
  let silentChecks = 0;
  let cpuMs = 0;
  let idleBeats = Infinity;
  const memory = Math.max(1, Math.round(memoryMs / beatIntervalMs));
  let timer: NodeJS.Timeout | undefined;
  const checks = Math.max(1, Math.round(hangMs / beatIntervalMs));
  const stopChecks = stopMs / beatIntervalMs;
  // Counts checks instead of milliseconds: after this process was suspended, one check runs before the pending beats.
  const check = (): void => {
    silentChecks += 1;
    if (silentChecks <= checks && !(silentChecks > stopChecks && isStopped())) return;
    clearInterval(timer);
    onHang();
  };
  return {
    read(beats: string): void {
      timer ??= setInterval(check, beatIntervalMs).unref();
      silentChecks = 0;
      for (const [, mark, used] of beats.matchAll(/([+-])(\d+)\n/g)) {
        const isWork = mark === '-' || Number(used) - cpuMs >= minWorkMs;
        idleBeats = isWork ? 0 : idleBeats + 1;
        cpuMs = Number(used);
      }
    },
    /**
     * Whether the worker was busy lately: its event loop was blocked, or its threads have computed, even if starved of CPU.
     */
    get isBusy() {
      return idleBeats < memory;
    },
    /** CPU time of the worker since its start. */
    get cpuMs() {
      return cpuMs;
    },
    stop: () => clearInterval(timer),
  };
}
