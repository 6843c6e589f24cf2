import { writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { beatIntervalMs, beatPipe, formatBeat } from './heartbeat.ts';

// Runs parallel to the computing thread, so that it continues while that is busy.
const turns = new Int32Array(workerData as SharedArrayBuffer);
let seen = -1;

function beat(): void {
  const now = Atomics.load(turns, 0);
  const { user, system } = process.cpuUsage();
  try {
    writeSync(beatPipe, formatBeat({ isOccupied: now === seen, cpuMs: (user + system) / 1000 }));
  } catch {
    // The host reads too slowly, or has exited, which the main thread detects.
  }
  seen = now;
}

beat();
setInterval(beat, beatIntervalMs);
