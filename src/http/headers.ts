import { createHash, randomUUID } from 'node:crypto';
import { fieldError } from '../errors.ts';
import { getOrCreate } from '../core/get-or-create.ts';
import { quote } from '../core/text/quote.ts';
import type { ApiRequest } from '../contracts/http.ts';

export function headerOf(request: ApiRequest, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === 'string' ? value : value?.[0];
}

export function protocolsOf(request: ApiRequest): string[] {
  const offered = headerOf(request, 'sec-websocket-protocol') ?? '';
  return offered.split(',').map((name) => name.trim());
}

const saneRequestId = /^[\w.-]{1,128}$/;

/** Ids that each process counts from 1, the default of Fastify and pino-http. */
const countedRequestId = /^(?:req-[\da-z]{1,8}|\d+)$/;

/** The request id of the host, else of the client or a proxy, else the host's counter, else a new id. */
export function requestIdOf(request: ApiRequest): string {
  let counted: string | undefined;
  for (const given of (request.hostIds ?? []).flat()) {
    const id = typeof given === 'number' ? String(given) : given;
    if (typeof id !== 'string' || !saneRequestId.test(id)) continue;
    if (!countedRequestId.test(id)) return id;
    counted ??= id;
  }
  const own = headerOf(request, 'x-request-id');
  return own !== undefined && saneRequestId.test(own) ? own : (counted ?? createId('req_'));
}

/** Max names in a header that lists client input. */
const maxListedNames = 16;

/** A header value that lists names, truncated because clients may send any number. */
export function listOfNames(names: readonly string[]): string {
  return names.slice(0, maxListedNames).join(', ') + (names.length > maxListedNames ? ', ...' : '');
}

/** In seconds. */
export function unixTime(): number {
  return Math.floor(Date.now() / 1000);
}

/** `req_` → `req_0b9c…`: a prefix and 32 random hexadecimal digits. */
export function createId(prefix: string): string {
  return prefix + randomUUID().replaceAll('-', '');
}

const fingerprints = new WeakMap<object, string>();

/** 10 hexadecimal digits, stable for equal facts. */
export function fingerprintOf(facts: object): string {
  return getOrCreate(fingerprints, facts, () =>
    createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 10),
  );
}

/** Default max bytes that a client may send before they are used. */
export const defaultMaxBytes = 2 ** 24;

// Max delay of a Node timer.
const maxDeadlineMs = 2 ** 31 - 1;

/**
 * The client's time limit, from `x-request-timeout` or the SDKs' `x-stainless-timeout`, both in seconds. Invalid values of the
 * latter are ignored.
 */
export function deadlineMsOf(request: ApiRequest): number | undefined {
  const own = headerOf(request, 'x-request-timeout');
  if (own !== undefined && !(Number(own) > 0))
    throw fieldError('x-request-timeout', `expected a number of seconds above 0, got ${quote(own)}`);
  let deadlineMs: number | undefined;
  for (const seconds of [own, headerOf(request, 'x-stainless-timeout')].map(Number))
    if (seconds > 0) deadlineMs = Math.min(deadlineMs ?? maxDeadlineMs, seconds * 1000);
  return deadlineMs;
}
