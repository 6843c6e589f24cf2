import { writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { beatIntervalMs, beatPipe, busyBeat, idleBeat } from './heartbeat.ts';

// Runs beside the thread that computes, so that it beats on while that one is busy.
const turns = new Int32Array(workerData as SharedArrayBuffer);
let seen = -1;

function beat(): void {
  const now = Atomics.load(turns, 0);
  try {
    writeSync(beatPipe, now === seen ? busyBeat : idleBeat);
  } catch {
    // The host reads too slowly, or has gone, which the main thread is told.
  }
  seen = now;
}

beat();
setInterval(beat, beatIntervalMs);
