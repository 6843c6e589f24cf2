import { createParser } from 'eventsource-parser';
import { parseAnswer } from '../../runtime/http/parse-answer.ts';
import { InferenceError } from '../../errors.ts';
import { readBeginning, readBytes, readText, type BodyOptions } from '../../runtime/http/answer-body.ts';
import { fetchWith } from '../../runtime/http/fetch-with-certificates.ts';
import { currentRunHeaders } from '../../runtime/http/run-headers.ts';
import type { FileForm } from '../../runtime/http/file-form.ts';
import { reasonOfFetch } from '../../runtime/http/reason-of-fetch.ts';
import { sendAgain } from '../../runtime/http/send-again.ts';
import { authorization } from '../access.ts';
import type { ApiEndpoint } from './server.ts';
import { toError, type ErrorSubject } from './wire-error.ts';

/** A request to a server of the wire format. */
export interface ApiCall {
  /** After the base address, such as `/embeddings`. */
  readonly path: string;
  /** Sent as JSON; a `GET` without it and `form`. */
  readonly body?: unknown;
  readonly form?: FileForm | undefined;
  /** Subject of errors. */
  readonly subject?: ErrorSubject | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Most characters of one event. A server that never ends its line would fill the memory of the host. */
const maxEventCharacters = 4 * 2 ** 20;
const maxErrorBytes = 2 ** 16;

/**
 * Asks a server of the wire format.
 *
 * @throws InferenceError its own errors by this API's table: the caller's faults keep their message, code and `param`, a
 * server that is busy is `overloaded`, one that fails or can't be reached `worker_failed`, whose `cause` has its words
 */
export async function callApi(endpoint: ApiEndpoint, call: ApiCall): Promise<Response> {
  const response = await fetchApi(endpoint, call);
  if (response.ok) return response;
  const retryAfter = response.headers.get('retry-after');
  const { signal, subject } = call;
  throw toError(response.status, await readError(response, signal), { retryAfter, subject });
}

/**
 * As `callApi`, with the answer of any status.
 *
 * @throws InferenceError `worker_failed` where the server can't be reached
 */
export async function fetchApi(
  { url, apiKey, tls, headers }: ApiEndpoint,
  { path, body, form, signal }: ApiCall,
): Promise<Response> {
  const contentType = form?.contentType ?? (body === undefined ? undefined : 'application/json');
  const sent = form ? form.bytes : body === undefined ? null : JSON.stringify(body);
  const key = await authorization(apiKey);
  const send = (): Promise<Response> =>
    fetchWith(tls)(url + path, {
      method: contentType === undefined ? 'GET' : 'POST',
      headers: {
        ...(contentType === undefined ? {} : { 'content-type': contentType }),
        ...key,
        ...currentRunHeaders(),
        ...headers,
      },
      body: sent as NonNullable<RequestInit['body']> | null,
      ...(form ? { duplex: 'half' as const } : {}),
      ...(signal ? { signal } : {}),
      // Headers with keys would go with it.
      redirect: 'error',
    });
  try {
    // A form can be sent once.
    return await (form ? send() : sendAgain(send));
  } catch (error) {
    throw unreachable(error);
  }
}

/**
 * The `data` of a stream of server-sent events up to `[DONE]`, each parsed as JSON.
 *
 * @throws InferenceError the error that the stream carries, `worker_failed` where it breaks off, isn't JSON or has an
 * event of more than 4 MiB
 */
export async function* readEvents(
  response: Response,
  { signal, subject }: Pick<ApiCall, 'signal' | 'subject'> = {},
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
        if ((event['error'] ?? null) !== null) throw toError(0, event, { subject });
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

function parseJson(text: string): unknown {
  try {
    return parseAnswer(text);
  } catch (error) {
    throw unreadable((error as Error).message, error);
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function unreachable(error: unknown): InferenceError {
  const message = `The remote server can't be used: ${reasonOfFetch(error)}.`;
  return new InferenceError('worker_failed', message, { cause: error });
}

async function readError(response: Response, signal: AbortSignal | undefined): Promise<unknown> {
  const text = await readBeginning(response, { signal, maxBytes: maxErrorBytes });
  try {
    return JSON.parse(text);
  } catch {
    return { error: { message: text.slice(0, 500) } };
  }
}
