import { setImmediate as nextTurn } from 'node:timers/promises';
import type { GraphRunOptions, TensorSignature } from '../../contracts/graph.ts';
import { orThrow } from '../../errors.ts';
import { Handle } from './handle.ts';
import type { Api } from './load-api.ts';
import { queueOf } from './run-queue.ts';
import { readShape } from './native-tensor.ts';

/** After a longer short run, the next one uses a separate thread, where it can be aborted. */
const maxCallMs = 50;
let runsInThisThread = false;

/** Makes short runs compute in the calling thread: for worker processes, where nothing else needs it. */
export function computeInThisThread(): void {
  runsInThisThread = true;
}

/** Functions that abort the runs on separate threads. */
const running = new Set<() => void>();
let isListening = false;

/**
 * Aborts the runs when the process exits: Node waits for calls on separate threads, however long they take. A thread that
 * is terminated from outside gets no such event: there `Worker.terminate` waits for the run.
 */
function endRunsAtExit(): void {
  if (isListening) return;
  isListening = true;
  process.once('exit', () => {
    for (const end of running) end();
  });
}

export type SessionCore = ReturnType<typeof openSessionCore>;

/**
 * An `OrtSession` with the guards shared by its runs and bindings.
 * @param address `OrtSession *`, owned by the result, even if this throws
 */
export function openSessionCore(api: Api, address: bigint, device: string) {
  endRunsAtExit();
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
  /** Duration of the last short run. */
  let shortMs = 0;
  const core = {
    api,
    device,
    inputs,
    outputs,
    outputNames: new Set(outputs.map(({ name }) => name)),
    session,
    runOptions,
    /** @throws Error after `close` */
    assertOpen(): void {
      if (isClosed) throw new Error('session: already released');
    },
    /** Calls `run` on its turn, and makes the signal abort it. */
    async run<Result>(
      run: (inThisThread: boolean) => Result | Promise<Result>,
      { signal, isShort = false }: GraphRunOptions = {},
    ): Promise<Result> {
      core.assertOpen();
      signal?.throwIfAborted();
      await queue.enter();
      const inThisThread = isShort && runsInThisThread && device === 'cpu' && shortMs < maxCallMs;
      let isTerminated = false;
      const terminate = (): void => {
        isTerminated = true;
        core.terminate();
      };
      try {
        // Lets the output of the last step leave, and a cancellation arrive.
        if (inThisThread) await nextTurn();
        signal?.throwIfAborted();
        if (!inThisThread) {
          signal?.addEventListener('abort', terminate);
          running.add(core.terminate);
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
    /** Makes the current run fail at its next operator. */
    terminate(): void {
      api.call('RunOptionsSetTerminate', runOptions.address);
    },
    /** Calls `free` as soon as device memory may be freed: not while a run uses the device. */
    whenFree(free: () => void): void {
      if (device === 'cpu') free();
      else queue.whenFree(free);
    },
    /** Waits for all requested runs, and rejects new ones. */
    async close(): Promise<void> {
      core.assertOpen();
      isClosed = true;
      await core.idle();
    },
    /** Resolves when all requested runs are done. */
    async idle(): Promise<void> {
      await queue.enter();
      queue.leave();
    },
    /** Frees a closed session, after everything created with it. */
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
      // Owned by the type information.
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
