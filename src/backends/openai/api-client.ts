import { createParser } from 'eventsource-parser';
import { createJsonCounter } from '../../core/text/json-counter.ts';
import { abbreviate } from '../../core/text/quote.ts';
import { type ErrorCode, InferenceError, sentence } from '../../errors.ts';
import { readBeginning, readBytes, readText, type BodyOptions } from '../../runtime/http/answer-body.ts';
import { currentRunHeaders } from '../../runtime/http/run-headers.ts';
import { reasonOfFetch } from '../../runtime/http/reason-of-fetch.ts';
import type { ApiServer } from './server.ts';

/** What a server of the wire format was asked. */
export interface ApiCall {
  /** Behind the base address, such as `/embeddings`. */
  readonly path: string;
  /** Sent as JSON; a `GET` without. */
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

/** Of one event. A server that never ends its line would fill the memory of the host. */
const maxEventCharacters = 4 * 2 ** 20;
const maxErrorBytes = 2 ** 16;
const maxMessageCharacters = 1000;
/** It may repeat what the caller wrote. */
const mostShown = 200;
const maxParamCharacters = 100;
const maxRetryAfterSeconds = 86_400;

/**
 * Asks a server of the wire format.
 *
 * @throws InferenceError its own errors by this API's table: the caller's faults keep their message, code and `param`, a
 * server that is busy is `overloaded`, one that fails or can't be reached `worker_failed`, whose `cause` has its words
 */
export async function callApi(server: ApiServer, { path, body, signal }: ApiCall): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(server.baseURL.replace(/\/+$/, '') + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(server.apiKey === undefined ? {} : { authorization: `Bearer ${server.apiKey}` }),
        ...currentRunHeaders(),
        ...server.headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
      // Headers with keys would go with it.
      redirect: 'error',
    });
  } catch (error) {
    throw unreachable(error);
  }
  if (response.ok) return response;
  throw toError(response.status, await readError(response, signal), response.headers.get('retry-after'));
}

/**
 * The `data` of a stream of server-sent events up to `[DONE]`, each parsed as JSON.
 *
 * @throws InferenceError the error that the stream carries, `worker_failed` where it breaks off, isn't JSON or has an
 * event of more than 4 MiB
 */
export async function* readEvents(
  response: Response,
  signal?: AbortSignal,
): AsyncGenerator<Readonly<Record<string, unknown>>> {
  const received: string[] = [];
  let isTooLarge = false;
  const parser = createParser({
    maxBufferSize: maxEventCharacters,
    onEvent: ({ data }) => received.push(data),
    onError: ({ type }) => (isTooLarge ||= type === 'max-buffer-size-exceeded'),
  });
  const decoder = new TextDecoder();
  try {
    for await (const chunk of readBytes(response, { signal })) {
      parser.feed(decoder.decode(chunk, { stream: true }));
      if (isTooLarge) throw unreadable(`an event has more than ${maxEventCharacters} characters`);
      for (const data of received.splice(0)) {
        if (data === '[DONE]') return;
        const event = parseJson(data);
        if (!isObject(event)) throw unreadable('expected events that are objects');
        if ((event['error'] ?? null) !== null) throw toError(0, event, null);
        yield event;
      }
    }
  } catch (error) {
    throw InferenceError.isInstance(error) ? error : unreachable(error);
  }
  throw new InferenceError('worker_failed', 'The remote server broke off its answer.');
}

/**
 * The JSON of an answer.
 *
 * @throws InferenceError `worker_failed` where it is none, breaks off or is too long
 */
export async function readJson(response: Response, options: BodyOptions): Promise<unknown> {
  let text: string;
  try {
    text = await readText(response, options);
  } catch (error) {
    throw unreachable(error);
  }
  return parseJson(text);
}

/**
 * An answer that doesn't have the form that was asked for.
 */
export function unreadable(reason: string, cause?: unknown): InferenceError {
  return new InferenceError('worker_failed', `The remote server's answer can't be read: ${reason}.`, {
    cause,
  });
}

/** Levels of arrays and objects in an answer. A deep one would hold up this process, which is the host. */
const mostLevels = 128;

function parseJson(text: string): unknown {
  const counter = createJsonCounter();
  counter.push(Buffer.from(text));
  if (counter.depth > mostLevels) throw unreadable(`it is nested more than ${mostLevels} levels deep`);
  try {
    return JSON.parse(text);
  } catch (error) {
    // Its message quotes the answer.
    throw unreadable('it is no JSON', error);
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function unreachable(error: unknown): InferenceError {
  const message = `The remote server can't be used: ${reasonOfFetch(error)}.`;
  return new InferenceError('worker_failed', message, { cause: error });
}

interface WireFault {
  readonly message?: unknown;
  readonly param?: unknown;
  readonly code?: unknown;
  readonly type?: unknown;
}

async function readError(response: Response, signal: AbortSignal | undefined): Promise<unknown> {
  const text = await readBeginning(response, { signal, maxBytes: maxErrorBytes });
  try {
    return JSON.parse(text);
  } catch {
    return { error: { message: text.slice(0, 500) } };
  }
}

/** The caller's own faults; whatever else a server complains about, the caller can't mend. */
const callersFaults: Readonly<Record<number, ErrorCode>> = {
  400: 'invalid_request',
  413: 'request_too_large',
  422: 'invalid_request',
};
const busy = new Set([429, 503]);

/** As OpenAI, vLLM and llama-server say that a prompt is too long. */
function isTooLong(fault: WireFault): boolean {
  return (
    fault.code === 'context_length_exceeded' ||
    fault.type === 'exceed_context_size_error' ||
    /maximum context length/i.test(String(fault.message))
  );
}

function toError(status: number, body: unknown, retryAfter: string | null): InferenceError {
  const wireFault = faultOf(body);
  const { message, param } = wireFault;
  const said =
    typeof message === 'string' && message !== ''
      ? message.slice(0, maxMessageCharacters)
      : 'no reason given';
  const fault = callersFaults[status];
  if (status < 500 && isTooLong(wireFault)) {
    return new InferenceError('context_length_exceeded', sentence(abbreviate(said, mostShown)), {
      param: 'messages',
    });
  }
  if (fault) {
    const named = typeof param === 'string' ? param.slice(0, maxParamCharacters) : undefined;
    return new InferenceError(fault, sentence(abbreviate(said, mostShown)), { param: named });
  }
  if (busy.has(status)) {
    const seconds = Number(retryAfter ?? NaN);
    return new InferenceError('overloaded', 'The remote server is busy.', {
      retryAfterSeconds: Number.isFinite(seconds)
        ? Math.min(Math.max(0, seconds), maxRetryAfterSeconds)
        : undefined,
      cause: new Error(said),
    });
  }
  // What it says may quote a key or hold a trace: that is for the operator.
  return new InferenceError('worker_failed', `The remote server answered ${status || 'with an error'}.`, {
    cause: new Error(said),
  });
}

/** `{"error": {…}}`, `{"error": "…"}`, or the fields themselves. */
function faultOf(body: unknown): WireFault {
  if (typeof body !== 'object' || body === null) return {};
  const { error = body } = body as { readonly error?: unknown };
  if (typeof error === 'string') return { message: error };
  return typeof error === 'object' && error !== null ? error : {};
}
