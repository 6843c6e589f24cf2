import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { limitConcurrency } from '../concurrency/limit-concurrency.ts';
import { InferenceError, type SerializedError } from '../errors.ts';
import { keepExactTexts } from './exact-texts.ts';
import { parseJson, type parseWithTexts } from './parse-json.ts';

export type ParsedJson = ReturnType<typeof parseWithTexts> | { readonly error: SerializedError };

/** Idle time before the thread ends and frees its memory. */
const idleMs = 5000;

let thread: Promise<Worker | undefined> | undefined;
let idleTimer: NodeJS.Timeout | undefined;
/** Bounds memory and processor time of large bodies. */
const oneAtATime = limitConcurrency(1);

/** Min size of a body to parse in a thread. */
export const largeBytes = 2 ** 20;

/** Parses UTF-8 JSON, in a thread if large. @param bytes detached afterwards @param owner owners take turns */
export async function parseBytes(bytes: Uint8Array, owner?: string): Promise<unknown> {
  return bytes.length < largeBytes ? parseJson(bytes) : parseInThread(bytes, owner);
}

/**
 * Parses a large request body in a thread: 16 MB of text would block the event loop for a tenth of a second. Falls back to this
 * thread.
 * @param bytes detached afterwards
 */
export function parseInThread(bytes: Uint8Array, owner?: string): Promise<unknown> {
  return oneAtATime(() => parse(bytes), { owner });
}

async function parse(bytes: Uint8Array): Promise<unknown> {
  clearTimeout(idleTimer);
  const worker = await (thread ??= start());
  if (worker === undefined) return parseJson(bytes);
  worker.ref();
  try {
    const answer = answerOf(worker);
    worker.postMessage(bytes, [bytes.buffer as ArrayBuffer]);
    const result = await answer;
    if ('error' in result) throw InferenceError.deserialize(result.error);
    // Receiving a large value takes time; yield before it is validated.
    await nextTurn();
    keepExactTexts(result.value, result.exact);
    return result.value;
  } finally {
    worker.unref();
    idleTimer = setTimeout(stop, idleMs, worker).unref();
  }
}

async function answerOf(worker: Worker): Promise<ParsedJson> {
  const listening = new AbortController();
  const { signal } = listening;
  const exit = once(worker, 'exit', { signal }).then(() => {
    throw new Error('The thread that parses JSON has ended.');
  });
  const answer = Promise.race([once(worker, 'message', { signal }), exit]).finally(() => listening.abort());
  const [result] = (await answer) as [ParsedJson];
  return result;
}

async function start(): Promise<Worker | undefined> {
  try {
    // No environment: `NODE_OPTIONS` would preload the process's modules into the thread.
    const worker = new Worker(new URL('./json-thread.js', import.meta.url), { execArgv: [], env: {} });
    // Its first message signals that it listens.
    await once(worker, 'message');
    worker.unref();
    worker.on('exit', () => (thread = undefined));
    return worker;
  } catch {
    return undefined;
  }
}

function stop(worker: Worker): void {
  thread = undefined;
  void worker.terminate();
}
