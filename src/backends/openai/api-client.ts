import { writeExact } from '../../core/text/exact-json.ts';
import { createParser } from 'eventsource-parser';
import { createAnswerClock } from '../../runtime/http/answer-clock.ts';
import { InferenceError, orElse, orThrow } from '../../errors.ts';
import {
  createDecoder,
  parseAnswer,
  readBeginning,
  readBytes,
  readText,
} from '../../runtime/http/answer-body.ts';
import type { FileForm } from '../../runtime/http/file-form.ts';
import { sendAgain, reasonOfFetch } from '../../runtime/http/fetch-failures.ts';
import { senderTo } from '../access.ts';
import type { PipelineRunOptions } from '../../contracts/run.ts';
import type { RemoteModel } from './remote-model.ts';
import type { ApiEndpoint } from './server.ts';
import { toError, type ErrorSubject } from './wire-error.ts';
import { isObject, type Fields } from './fields.ts';

/** A request to an OpenAI-compatible server. */
export interface ApiCall {
  /** After the base address, such as `/embeddings`. */
  readonly path: string;
  /** Sent as JSON; without it and `form`, the request is a `GET`. */
  readonly body?: unknown;
  readonly form?: FileForm | undefined;
  readonly subject?: ErrorSubject | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Headers of the run. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** A response, valid until its timeouts. */
export type ApiAnswer = Awaited<ReturnType<typeof fetchApi>>;

/** Maximum characters per event. A server that never ends its line would fill the host's memory. */
const defaultMaxEventCharacters = 4 * 2 ** 20;
const maxErrorBytes = 2 ** 16;

/**
 * The call of a run: its fields, the model's fields, and the subject of errors. @param param the field that may be too long
 */
export function toCall(
  model: RemoteModel,
  { path, param, fields }: Pick<ApiCall, 'path'> & { readonly param: string; readonly fields: Fields },
  { signal, headers }: PipelineRunOptions,
) {
  const body: Fields = { ...model.extraBody, model: model.name, ...fields };
  return { path, body, signal, headers, subject: { param, model, fields: Object.keys(body) } };
}

/** Sends a request to an OpenAI-compatible server. */
export async function callApi(endpoint: ApiEndpoint, call: ApiCall): Promise<ApiAnswer> {
  const answer = await fetchApi(endpoint, call);
  const { response, clock } = answer;
  const { ok, headers, status } = response;
  if (ok) return answer;
  const text = await readBeginning(response, { clock, maxBytes: maxErrorBytes });
  const fault = orElse<unknown, unknown>(() => JSON.parse(text), { error: { message: text.slice(0, 500) } });
  const retryAfter = headers.get('retry-after');
  throw toError(status, fault, { retryAfter, subject: call.subject });
}

/** Like `callApi`, but accepts any status. */
export async function fetchApi(endpoint: ApiEndpoint, { path, body, form, signal, headers }: ApiCall) {
  const contentType = form?.contentType ?? (body === undefined ? undefined : 'application/json');
  const sender = await senderTo(endpoint, endpoint.times.connectMs);
  const clock = createAnswerClock(endpoint.times, signal);
  const request = {
    method: contentType === undefined ? 'GET' : 'POST',
    headers: { ...(contentType === undefined ? {} : { 'content-type': contentType }), ...headers },
    body: form ? form.bytes : body === undefined ? null : writeExact(body),
    signal: clock.signal,
  };
  const send = () => sender(path, request);
  try {
    // A form can be sent only once.
    const response = await clock.wait(() => (form ? send() : sendAgain(send)));
    return { response, clock };
  } catch (error) {
    throw unreachable(error);
  }
}

export interface EventOptions {
  readonly subject: ErrorSubject;
  /** Per event; default 4 MiB. */
  readonly maxEventCharacters?: number;
}

/**
 * Reads the `data` of a stream of server-sent events, each parsed as JSON, up to `[DONE]` or until `take` returns true.
 */
export async function readEvents(
  { response, clock }: ApiAnswer,
  take: (event: Fields) => boolean | void,
  { subject, maxEventCharacters = defaultMaxEventCharacters }: EventOptions,
): Promise<void> {
  const received: string[] = [];
  let isTooLarge = false;
  const parser = createParser({
    maxBufferSize: maxEventCharacters,
    onEvent: ({ data }) => received.push(data),
    onError: ({ type }) => (isTooLarge ||= type === 'max-buffer-size-exceeded'),
  });
  const decode = createDecoder();
  try {
    for await (const chunk of readBytes(response, { clock })) {
      parser.feed(decode(chunk));
      if (isTooLarge) throw unreadable(`an event has more than ${maxEventCharacters} characters`);
      for (const data of received.splice(0)) {
        if (data === '[DONE]') return;
        const event = parseJson(data);
        if (!isObject(event)) throw unreadable('expected events that are objects');
        if ((event['error'] ?? null) !== null) throw toError(0, event, { subject });
        if (take(event)) return;
      }
    }
  } catch (error) {
    throw InferenceError.isInstance(error) ? error : unreachable(error);
  }
  throw new InferenceError('worker_failed', 'The remote server broke off its answer.');
}

export async function readJson({ response, clock }: ApiAnswer, maxBytes: number): Promise<unknown> {
  const text = await readText(response, { clock, maxBytes }).catch((error: unknown) => {
    throw unreachable(error);
  });
  return parseJson(text);
}

/** A response in the wrong format. */
export function unreadable(reason: string, cause?: unknown): InferenceError {
  return new InferenceError('worker_failed', `The remote server's answer can't be read: ${reason}.`, {
    cause,
  });
}

function parseJson(text: string): unknown {
  return orThrow(
    () => parseAnswer(text),
    (error) => unreadable(error.message, error),
  );
}

/** An unreachable server, or a broken connection. */
export function unreachable(error: unknown): InferenceError {
  const message = `The remote server can't be used: ${reasonOfFetch(error)}.`;
  return new InferenceError('worker_failed', message, { cause: error });
}
