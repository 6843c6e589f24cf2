import * as crypto from 'node:crypto';
import { InferenceError } from '../errors.ts';
import type { ApiRequest } from '../contracts/http.ts';
import { headerOf, protocolsOf } from '../http/headers.ts';

/** A key that opens the service. */
export interface ApiKey {
  /** The key that clients send in `Authorization: Bearer <key>`, or in `x-api-key`. */
  readonly key: string;
  /** Owner of the limits that this key uses up; keys of the same id share them. Default: a hash of the key. */
  readonly id?: string | undefined;
  /** Name of one of the handler's `plans`; without it the key is unlimited. */
  readonly plan?: string | undefined;
}

const keyProtocol = 'openai-insecure-api-key.';
/** With a key, or without one. */
const bearerHeader = /^Bearer(?: +(\S+))?[ \t]*$/i;

/** Looks a key up, for example in a database; `null` for one that is not valid. */
export type KeyLookup = (key: string, request: ApiRequest) => ApiKey | null | Promise<ApiKey | null>;

/** Permitted clients: a list of keys, a function that looks keys up, or all (`'none'`). */
export type Authentication = { readonly keys: readonly (string | ApiKey)[] } | KeyLookup | 'none';

/** Tells who sent a request; `null` where the service is open to everybody. */
export type Authenticate = (request: ApiRequest) => Promise<ApiKey | null>;

/** @throws TypeError for an authentication that is left out or lists no key, an empty key or the same key twice */
export function createAuthenticate(authentication: Authentication): Authenticate {
  if (authentication === 'none') return async () => null;
  const lookup = typeof authentication === 'function' ? authentication : fromList(authentication?.keys);
  return async (request) => {
    const bearer = bearerHeader.exec(headerOf(request, 'authorization') ?? '');
    const key = bearer?.[1] ?? headerOf(request, 'x-api-key') ?? keyOfSocket(request);
    if (key === undefined) {
      const message = bearer
        ? 'The header `Authorization: Bearer <API_KEY>` has no key: is its variable set?'
        : 'Expected a header `Authorization: Bearer <API_KEY>` or `x-api-key: <API_KEY>`.';
      throw new InferenceError('authentication_failed', message);
    }
    const known = await lookup(key, request);
    if (known === null || known === undefined)
      throw new InferenceError('authentication_failed', 'The API key is not valid.');
    return known;
  };
}

/** A name for the owner of a key that doesn't give the key away. */
export function ownerOf(apiKey: ApiKey): string {
  return apiKey.id ?? digest(apiKey.key).toString('hex').slice(0, 32);
}

/** Pages can't set the headers of a WebSocket: they send the key as one of its subprotocols. */
function keyOfSocket(request: ApiRequest): string | undefined {
  if (request.asksForSocket !== true) return undefined;
  const key = protocolsOf(request).find((name) => name.startsWith(keyProtocol));
  return key?.slice(keyProtocol.length);
}

function fromList(keys: readonly (string | ApiKey)[] | undefined): KeyLookup {
  if (!Array.isArray(keys) || keys.length === 0)
    throw new TypeError("auth: expected { keys: [...] } with at least one key, a function or 'none'");
  const known = keys.map((entry: string | ApiKey, index) => {
    const apiKey = typeof entry === 'string' ? { key: entry } : entry;
    if ((apiKey?.key ?? '') === '')
      throw new TypeError(`auth.keys[${index}]: the key is empty: is SLASHV1_API_KEY set?`);
    if (typeof apiKey.key !== 'string' || !/^\S+$/.test(apiKey.key))
      throw new TypeError(`auth.keys[${index}]: expected text without white space`);
    return { apiKey, digest: digest(apiKey.key) };
  });
  if (new Set(known.map(({ apiKey }) => apiKey.key)).size < known.length)
    throw new TypeError('auth: expected every key once');
  return (key) => {
    const given = digest(key);
    let match: ApiKey | null = null;
    // No early exit: the time that this takes must not depend on which key matches.
    for (const candidate of known) {
      if (crypto.timingSafeEqual(candidate.digest, given)) match = candidate.apiKey;
    }
    return match;
  };
}

function digest(key: string): Buffer {
  // Node has had the faster one since 20.12.
  return crypto.hash === undefined
    ? crypto.createHash('sha256').update(key).digest()
    : crypto.hash('sha256', key, 'buffer');
}
