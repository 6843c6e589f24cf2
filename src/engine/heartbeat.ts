import { Worker } from 'node:worker_threads';

export const beatIntervalMs = 500;
export const beatPipe = 4;

export interface Beat {
  /** Whether the event loop has not turned since the last beat: a step of the model, or an endless loop, occupies it. */
  readonly isOccupied: boolean;
  /** Processor time that all threads of the worker have used since its start. */
  readonly cpuMs: number;
}

/** A beat as it goes through the pipe. */
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
  // A process that beats no more counts as hung, which is worse than one that never has.
  thread.on('error', () => process.exit(1));
}

/** Silence after which a worker is asked for that may be stopped. */
export const stopMs = 3000;
/** A worker without work uses 0.4 to 0.7 ms for each beat. */
const leastWorkMs = 2;

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
  // Checks are counted, not milliseconds: after a standstill of this process one of them comes, and then the beats.
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
        const isWork = mark === '-' || Number(used) - cpuMs >= leastWorkMs;
        idleBeats = isWork ? 0 : idleBeats + 1;
        cpuMs = Number(used);
      }
    },
    /**
     * Whether the worker has been at work lately: its event loop was occupied, or its threads have computed, if only a
     * little because others have the processors.
     */
    get isBusy() {
      return idleBeats < memory;
    },
    /** Processor time that the worker has used since its start. */
    get cpuMs() {
      return cpuMs;
    },
    stop: () => clearInterval(timer),
  };
}
