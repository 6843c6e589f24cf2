import { setImmediate as nextTurn } from 'node:timers/promises';
import type { GraphRunOptions, TensorSignature } from '../../contracts/graph.ts';
import { orThrow } from '../../errors.ts';
import { Handle } from './handle.ts';
import type { Api } from './load-api.ts';
import { queueOf } from './run-queue.ts';
import { readShape } from './native-tensor.ts';

/** A short run that took longer goes to another thread the next time, where it can be ended. */
const longestCallMs = 50;
let runsInThisThread = false;

/** Short runs compute in the calling thread from now on: for worker processes, where nothing else waits for it. */
export function computeInThisThread(): void {
  runsInThisThread = true;
}

/** Functions that end the runs on other threads. */
const running = new Set<() => void>();
let isListening = false;

/**
 * Ends a run when the process exits: Node waits for calls on other threads, however long they take. A thread that is
 * terminated from outside has no such moment: there `Worker.terminate` waits for the run.
 */
function endAtExit(terminate: () => void): void {
  running.add(terminate);
  if (isListening) return;
  isListening = true;
  process.once('exit', () => {
    for (const end of running) end();
  });
}

export type SessionCore = ReturnType<typeof openSessionCore>;

/**
 * An `OrtSession` with the guards that its runs and bindings share.
 * @param address `OrtSession *`, which belongs to the result, also when this throws
 */
export function openSessionCore(api: Api, address: bigint, device: string) {
  const queue = queueOf(device);
  const session = new Handle(api, 'session', address, 'ReleaseSession');
  const open = () => ({
    inputs: readSignatures(api, address, 'Input'),
    outputs: readSignatures(api, address, 'Output'),
    /** One is enough: runs wait for each other. */
    runOptions: new Handle(api, 'run options', api.create('CreateRunOptions'), 'ReleaseRunOptions'),
  });
  const { inputs, outputs, runOptions } = orThrow(open, (error) => {
    session.release();
    return error;
  });
  let isClosed = false;
  /** Time of the last short run. */
  let shortMs = 0;
  const core = {
    api,
    device,
    inputs,
    outputs,
    outputNames: new Set(outputs.map(({ name }) => name)),
    get session(): bigint {
      return session.address;
    },
    get runOptions(): bigint {
      return runOptions.address;
    },
    /** @throws Error once `close` was called */
    assertOpen(): void {
      if (isClosed) throw new Error('session: already released');
    },
    /** Calls `run` when it is its turn, and makes the signal end it. */
    async run<Result>(
      run: (inThisThread: boolean) => Result | Promise<Result>,
      { signal, isShort = false }: GraphRunOptions = {},
    ): Promise<Result> {
      core.assertOpen();
      signal?.throwIfAborted();
      await queue.enter();
      const inThisThread = isShort && runsInThisThread && device === 'cpu' && shortMs < longestCallMs;
      let isTerminated = false;
      const terminate = (): void => {
        isTerminated = true;
        core.terminate();
      };
      try {
        // The output of the last step leaves, and a cancellation arrives.
        if (inThisThread) await nextTurn();
        signal?.throwIfAborted();
        if (!inThisThread) {
          signal?.addEventListener('abort', terminate);
          endAtExit(core.terminate);
        }
        const beganAt = performance.now();
        const result = await run(inThisThread);
        if (isShort) shortMs = performance.now() - beganAt;
        return result;
      } catch (error) {
        throw isTerminated ? signal!.reason : error;
      } finally {
        if (!inThisThread) {
          running.delete(core.terminate);
          signal?.removeEventListener('abort', terminate);
        }
        if (isTerminated) api.call('RunOptionsUnsetTerminate', runOptions.address);
        queue.leave();
      }
    },
    /** Makes the run under way fail at its next operator. */
    terminate(): void {
      api.call('RunOptionsSetTerminate', runOptions.address);
    },
    /** Calls `free` when memory of the device may be given back: not while a run uses the device. */
    whenFree(free: () => void): void {
      if (device === 'cpu') free();
      else queue.whenFree(free);
    },
    /** Waits for the runs that were asked for before; from now on there are no others. */
    async close(): Promise<void> {
      core.assertOpen();
      isClosed = true;
      await core.idle();
    },
    /** Resolves when everything that was asked for before is done. */
    async idle(): Promise<void> {
      await queue.enter();
      queue.leave();
    },
    /** Frees a closed session, after everything that was made with it. */
    free(): void {
      runOptions.release();
      session.release(core.whenFree);
    },
  };
  return core;
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
