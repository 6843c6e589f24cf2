import type { InferenceError } from '../../src/errors.ts';
import type { Replica, ReplicaState, CancelHandle, RequestListener } from '../../src/engine/replica.ts';

interface FakeRun {
  readonly request: unknown;
  readonly observer: RequestListener;
  cancelled: boolean;
}

/** A replica that a test plays by hand. */
export class FakeReplica implements Replica {
  readonly runs: FakeRun[] = [];
  readonly loaded = Promise.resolve();
  readonly info = undefined;
  state: ReplicaState = 'ready';
  error: InferenceError | undefined;
  concurrency = 1;
  reserve = 0;
  restartsInMs = 0;
  isLooping = false;
  onChange: () => void = () => undefined;

  get running(): number {
    return this.runs.length;
  }

  start(request: unknown, observer: RequestListener): CancelHandle {
    const run = { request, observer, cancelled: false };
    this.runs.push(run);
    return { cancel: () => (run.cancelled = true) };
  }

  become(state: ReplicaState, error?: InferenceError): void {
    this.state = state;
    this.error = error;
    this.onChange();
  }

  /** Ends a run, the oldest by default. */
  finish(index = 0, error?: InferenceError, isUntouched?: boolean): void {
    const [run] = this.runs.splice(index, 1);
    run!.observer.onEnd(error, isUntouched);
  }

  async close(): Promise<void> {
    this.become('closed');
    while (this.runs.length > 0) this.finish();
  }
}
