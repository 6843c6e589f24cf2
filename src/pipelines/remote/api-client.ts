import { createParser } from 'eventsource-parser';
import { InferenceError, type ErrorCode } from '../../errors.ts';
import { reasonOfFetch } from '../../runtime/remote/reason-of-fetch.ts';
import type { ApiServer } from './servers.ts';

/** What a server of the wire format was asked. */
export interface ApiCall {
  /** Behind the base address, such as `/embeddings`. */
  readonly path: string;
  /** Sent as JSON; a `GET` without. */
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

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
  throw toError(response.status, await readError(response), response.headers.get('retry-after'));
}

/**
 * The `data` of a stream of server-sent events up to `[DONE]`, each parsed as JSON.
 *
 * @throws InferenceError the error that the stream carries, `worker_failed` where it breaks off or isn't JSON
 */
export async function* readEvents(response: Response): AsyncGenerator<Readonly<Record<string, unknown>>> {
  const received: string[] = [];
  const parser = createParser({ onEvent: ({ data }) => received.push(data) });
  const decoder = new TextDecoder();
  try {
    for await (const chunk of response.body ?? []) {
      parser.feed(decoder.decode(chunk, { stream: true }));
      for (const data of received.splice(0)) {
        if (data === '[DONE]') return;
        const event = JSON.parse(data) as Readonly<Record<string, unknown>>;
        if (event['error'] !== undefined) throw toError(0, event, null);
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
 * @throws InferenceError `worker_failed` where it is none or breaks off
 */
export async function readJson(response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch (error) {
    throw unreachable(error);
  }
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

async function readError(response: Response): Promise<unknown> {
  const text = await response.text().catch(() => '');
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
  const said = typeof message === 'string' && message !== '' ? message : 'no reason given';
  const fault = callersFaults[status];
  if (status < 500 && isTooLong(wireFault)) {
    return new InferenceError('context_length_exceeded', said, { param: 'messages' });
  }
  if (fault) return new InferenceError(fault, said, { param: typeof param === 'string' ? param : undefined });
  if (busy.has(status)) {
    const seconds = Number(retryAfter ?? NaN);
    return new InferenceError('overloaded', 'The remote server is busy.', {
      retryAfterSeconds: Number.isFinite(seconds) ? Math.max(0, seconds) : undefined,
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
