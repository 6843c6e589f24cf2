/** Runs that can be ended. */
export interface Run {
  terminate(): void;
}

const running = new Set<Run>();
let isListening = false;

/**
 * Ends a run when the process exits: Node waits for calls on other threads, however long they take. A thread that is
 * terminated from outside has no such moment: there `Worker.terminate` waits for the run.
 */
export function endAtExit(run: Run): void {
  running.add(run);
  if (isListening) return;
  isListening = true;
  process.once('exit', () => {
    for (const each of running) each.terminate();
  });
}

export function noLongerAtExit(run: Run): void {
  running.delete(run);
}
