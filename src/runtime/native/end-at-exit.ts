/** Runs that can be ended. */
export interface Terminable {
  terminate(): void;
}

const running = new Set<Terminable>();
let isListening = false;

/**
 * Ends a run when the process exits: Node waits for calls on other threads, however long they take. A thread that is
 * terminated from outside has no such moment: there `Worker.terminate` waits for the run.
 */
export function endAtExit(run: Terminable): void {
  running.add(run);
  if (isListening) return;
  isListening = true;
  process.once('exit', () => {
    for (const each of running) each.terminate();
  });
}

export function noLongerAtExit(run: Terminable): void {
  running.delete(run);
}
