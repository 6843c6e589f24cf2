import type { Pulse } from './heartbeat.ts';

/** Times the grace that a worker gets while it is busy: of the clock, or of processor time where others have the processors. */
const busyGraces = 6;
/** Times the grace after which even a worker that hardly gets a processor is replaced. */
const starvedGraces = 60;
/** Share of a processor that a starved worker uses; one without work uses 0.001. */
const leastShare = 0.004;
/**
 * Waits for the end of a cancelled run, as long as its worker gets somewhere; then calls `giveUp`.
 * @returns ends the wait
 */
export function limitCancellation(pulse: Pulse, graceMs: number, giveUp: () => void): () => void {
  const fromCpuMs = pulse.cpuMs;
  let graces = 0;
  const mayGoOn = (): boolean => {
    if (!pulse.isBusy) return false;
    if (graces < busyGraces) return true;
    const usedMs = pulse.cpuMs - fromCpuMs;
    // One that stands still in a step uses nothing.
    const isStarved = usedMs > graces * leastShare * graceMs;
    return isStarved && usedMs < busyGraces * graceMs && graces < starvedGraces;
  };
  const timer = setTimeout(() => {
    graces += 1;
    if (mayGoOn()) timer.refresh();
    else giveUp();
  }, graceMs);
  return () => clearTimeout(timer);
}
