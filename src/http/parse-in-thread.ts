import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { limitConcurrency } from '../concurrency/limit-concurrency.ts';
import { InferenceError, type SerializedError } from '../errors.ts';
import { keepExactTexts } from './exact-texts.ts';
import { parseJson, type parseWithTexts } from './parse-json.ts';

export type ParsedJson = ReturnType<typeof parseWithTexts> | { readonly error: SerializedError };

/** A thread that has parsed gives its memory back after that time. */
const idleMs = 5000;

let thread: Promise<Worker | undefined> | undefined;
let idleTimer: NodeJS.Timeout | undefined;
/** Large bodies take the memory and the processor of one. */
const oneAtATime = limitConcurrency(1);

/** A body of that size is parsed in a thread. */
export const largeBytes = 2 ** 20;

/** Parses JSON in UTF-8, in a thread where it is large. @param bytes detached afterwards @param owner owners take turns */
export async function parseBytes(bytes: Uint8Array, owner?: string): Promise<unknown> {
  return bytes.length < largeBytes ? parseJson(bytes) : parseInThread(bytes, owner);
}

/**
 * Parses a large request body in a thread: 16 MB of text would hold the event loop for a tenth of a second. Where no thread can
 * be started, the body is parsed in place.
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
    // To receive a large value takes a while; others have their turn before it is checked.
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
    // Without variables: `NODE_OPTIONS` would preload in the thread what is meant for the process.
    const worker = new Worker(new URL('./json-thread.js', import.meta.url), { execArgv: [], env: {} });
    // Its first message says that it listens.
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
