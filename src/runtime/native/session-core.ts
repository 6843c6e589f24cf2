import { setImmediate as nextTurn } from 'node:timers/promises';
import type { GraphRunOptions, TensorSignature } from '../../contracts/graph.ts';
import { Handle } from './handle.ts';
import type { Api } from './load-api.ts';
import { queueOf, type RunQueue } from './run-queue.ts';
import { readShape } from './native-tensor.ts';

/** A short run that took longer goes to another thread the next time, where it can be ended. */
const longestCallMs = 50;
let runsInThisThread = false;

/** Short runs compute in the calling thread from now on: for worker processes, where nothing else waits for it. */
export function computeInThisThread(): void {
  runsInThisThread = true;
}

const running = new Set<SessionCore>();
let isListening = false;

/**
 * Ends a run when the process exits: Node waits for calls on other threads, however long they take. A thread that is
 * terminated from outside has no such moment: there `Worker.terminate` waits for the run.
 */
function endAtExit(session: SessionCore): void {
  running.add(session);
  if (isListening) return;
  isListening = true;
  process.once('exit', () => {
    for (const each of running) each.terminate();
  });
}

/** An `OrtSession` with the guards that its runs and bindings share. */
export class SessionCore {
  readonly api: Api;
  readonly device: string;
  readonly inputs: readonly TensorSignature[];
  readonly outputs: readonly TensorSignature[];
  readonly #session: Handle;
  /** One is enough: runs wait for each other. */
  readonly #runOptions: Handle;
  readonly #queue: RunQueue;
  #isClosed = false;
  /** Time of the last short run. */
  #shortMs = 0;

  /** @param session `OrtSession *`, which belongs to the new object, also when this throws */
  constructor(api: Api, session: bigint, device: string) {
    this.api = api;
    this.device = device;
    this.#queue = queueOf(device);
    this.#session = new Handle(api, 'session', session, 'ReleaseSession');
    try {
      this.inputs = readSignatures(api, session, 'Input');
      this.outputs = readSignatures(api, session, 'Output');
      this.#runOptions = new Handle(api, 'run options', api.create('CreateRunOptions'), 'ReleaseRunOptions');
    } catch (error) {
      this.#session.release();
      throw error;
    }
  }

  get session(): bigint {
    return this.#session.address;
  }

  get runOptions(): bigint {
    return this.#runOptions.address;
  }

  /** @throws Error once `close` was called */
  assertOpen(): void {
    if (this.#isClosed) throw new Error('session: already released');
  }

  /** Calls `run` when it is its turn, and makes the signal end it. */
  async run<Result>(
    run: (inThisThread: boolean) => Result | Promise<Result>,
    { signal, isShort = false }: GraphRunOptions = {},
  ): Promise<Result> {
    this.assertOpen();
    signal?.throwIfAborted();
    await this.#queue.enter();
    const inThisThread =
      isShort && runsInThisThread && this.device === 'cpu' && this.#shortMs < longestCallMs;
    let isTerminated = false;
    const terminate = (): void => {
      isTerminated = true;
      this.terminate();
    };
    try {
      // What the last step made leaves, and a cancellation arrives.
      if (inThisThread) await nextTurn();
      signal?.throwIfAborted();
      if (!inThisThread) {
        signal?.addEventListener('abort', terminate);
        endAtExit(this);
      }
      const beganAt = performance.now();
      const result = await run(inThisThread);
      if (isShort) this.#shortMs = performance.now() - beganAt;
      return result;
    } catch (error) {
      throw isTerminated ? signal!.reason : error;
    } finally {
      if (!inThisThread) {
        running.delete(this);
        signal?.removeEventListener('abort', terminate);
      }
      if (isTerminated) this.api.call('RunOptionsUnsetTerminate', this.runOptions);
      this.#queue.leave();
    }
  }

  /** Makes the run under way fail at its next operator. */
  terminate(): void {
    this.api.call('RunOptionsSetTerminate', this.runOptions);
  }

  /** Calls `free` when memory of the device may be given back: not while a run uses the device. */
  readonly whenFree = (free: () => void): void => {
    if (this.device === 'cpu') free();
    else this.#queue.whenFree(free);
  };

  /** Waits for the runs that were asked for before; from now on there are no others. */
  async close(): Promise<void> {
    this.assertOpen();
    this.#isClosed = true;
    await this.idle();
  }

  /** Resolves when everything that was asked for before is done. */
  async idle(): Promise<void> {
    await this.#queue.enter();
    this.#queue.leave();
  }

  /** Frees a closed session, after everything that was made with it. */
  free(): void {
    this.#runOptions.release();
    this.#session.release(this.whenFree);
  }
}

function readSignatures(api: Api, session: bigint, side: 'Input' | 'Output'): TensorSignature[] {
  const count = Number(api.find(`SessionGet${side}Count`, session));
  return Array.from({ length: count }, (_, index) => {
    const text = api.create(`SessionGet${side}Name`, session, index, api.allocator);
    const name = api.readString(text);
    api.call('AllocatorFree', api.allocator, text);
    const typeInfo = api.create(`SessionGet${side}TypeInfo`, session, index);
    try {
      // Belongs to the type information.
      const info = api.find('CastTypeInfoToTensorInfo', typeInfo);
      if (info === 0n) throw new Error(`${name}: only tensors are supported as inputs and outputs`);
      const { type, dims } = readShape(api, info);
      const symbols = new BigUint64Array(dims.length);
      if (dims.length > 0) api.call('GetSymbolicDimensions', info, symbols, dims.length);
      return { name, type, dims: dims.map((dim, axis) => (dim < 0 ? api.readString(symbols[axis]!) : dim)) };
    } finally {
      api.call('ReleaseTypeInfo', typeInfo);
    }
  });
}
