import type { Pulse } from './heartbeat.ts';

/** Graces for a busy worker: of wall-clock time, or of CPU time if the worker is starved of CPU. */
const busyGraces = 6;
/** Graces after which even a starved worker is replaced. */
const starvedGraces = 60;
/** Fraction of a CPU that a starved worker uses; an idle worker uses 0.001. */
const minCpuShare = 0.004;
/**
 * Waits for a cancelled run to end while its worker makes progress; then calls `giveUp`.
 * @returns a function that ends the wait
 */
export function limitCancellation(pulse: Pulse, graceMs: number, giveUp: () => void): () => void {
  const fromCpuMs = pulse.cpuMs;
  let graces = 0;
  const mayGoOn = (): boolean => {
    if (!pulse.isBusy) return false;
    if (graces < busyGraces) return true;
    const usedMs = pulse.cpuMs - fromCpuMs;
    // A worker that hangs in a step uses no CPU.
    const isStarved = usedMs > graces * minCpuShare * graceMs;
    return isStarved && usedMs < busyGraces * graceMs && graces < starvedGraces;
  };
  const timer = setTimeout(() => {
    graces += 1;
    if (mayGoOn()) timer.refresh();
    else giveUp();
  }, graceMs);
  return () => clearTimeout(timer);
}
