import * as crypto from 'node:crypto';
import { describeValue } from '../core/text/quote.ts';
import { InferenceError, type ErrorCode } from '../errors.ts';
import { askHost } from './print-internal.ts';
import type { ApiRequest } from '../contracts/http.ts';
import { headerOf, protocolsOf } from '../http/headers.ts';

/** An API key. */
export interface ApiKey {
  /** The key that clients send in `Authorization: Bearer <key>` or `x-api-key`. */
  readonly key: string;
  /** Owner of the key's limits, shared by keys with the same id; 7 and `'7'` are the same. Default: a hash of the key. */
  readonly id?: string | number | bigint | null | undefined;
  /** Name of one of the handler's `plans`; without it the key is unlimited. */
  readonly plan?: string | null | undefined;
}

export interface Identity {
  readonly owner: string;
  readonly plan: string | undefined;
}

export interface AuthenticationOptions {
  readonly timeoutMs: number;
  readonly plans?: Readonly<Record<string, unknown>> | undefined;
}

const keyProtocol = 'openai-insecure-api-key.';
/** The key is optional, for a specific error if it is missing. */
const bearerHeader = /^Bearer(?: +(\S+))?[ \t]*$/i;

/**
 * Looks up a key, for example in a database; returns `null` for an invalid key. The result needs no `key`. The request gets 503
 * if the function exceeds `authTimeoutMs`, throws or returns a different type.
 */
export type KeyLookup = (
  key: string,
  request: ApiRequest,
) => FoundKey | null | undefined | false | Promise<FoundKey | null | undefined | false>;

/** A key as a lookup returns it. */
export type FoundKey = Omit<ApiKey, 'key'> & { readonly key?: string | undefined };

/** Permitted clients: a list of keys, a key lookup, or everyone (`'none'`). */
export type Authentication = { readonly keys: readonly (string | ApiKey)[] } | KeyLookup | 'none';

export type Authenticate = (request: ApiRequest) => Promise<Identity>;

/** @returns `undefined` for an open service @throws TypeError for a missing authentication, an empty list, an empty key or a duplicate key */
export function createAuthenticate(
  authentication: Authentication,
  options: AuthenticationOptions,
): Authenticate | undefined {
  if (authentication === 'none') return undefined;
  const find =
    typeof authentication === 'function'
      ? fromFunction(authentication, options)
      : fromList(authentication?.keys, options);
  return async (request) => {
    const bearer = bearerHeader.exec(headerOf(request, 'authorization') ?? '');
    const key = bearer?.[1] ?? headerOf(request, 'x-api-key') ?? keyOfSocket(request);
    if (key === undefined) {
      const message = bearer
        ? 'The header `Authorization: Bearer <API_KEY>` has no key: is the variable set?'
        : 'Expected a header `Authorization: Bearer <API_KEY>` or `x-api-key: <API_KEY>`.';
      throw new InferenceError('authentication_failed', message);
    }
    const known = await find(key, request);
    if (known === null) throw new InferenceError('authentication_failed', 'The API key is not valid.');
    return known;
  };
}

type Find = (key: string, request: ApiRequest) => Identity | null | Promise<Identity | null>;

const refusals: readonly string[] = [
  'authentication_failed',
  'upgrade_required',
  'quota_exceeded',
  'rate_limited',
] satisfies ErrorCode[];

function fromFunction(lookup: KeyLookup, { timeoutMs, plans }: AuthenticationOptions): Find {
  const message = "The API key can't be checked at the moment.";
  return async (key, request) => {
    let refusal: InferenceError | undefined;
    const find = async (): Promise<Identity | null> => {
      try {
        const found = await lookup(key, request);
        return (found ?? false) === false ? null : toIdentity(found, key, plans);
      } catch (error) {
        if (!InferenceError.isInstance(error) || !refusals.includes(error.code)) throw error;
        refusal = error;
        return null;
      }
    };
    const found = await askHost(find, { timeoutMs, message });
    if (refusal) throw refusal;
    return found;
  };
}

const shape = 'its function to return { key, id, plan }, or null for a key that is not valid';

function toIdentity(apiKey: unknown, sent: string, plans: AuthenticationOptions['plans'] = {}): Identity {
  // A text may be a key, which must not be logged.
  const describe = (value: unknown): string => (typeof value === 'string' ? 'a text' : describeValue(value));
  const expect = (isMet: boolean, expected: string, got: string): void => {
    if (!isMet) throw new TypeError(`auth: expected ${expected}, got ${got}`);
  };
  expect(typeof apiKey === 'object' && !Array.isArray(apiKey), shape, describe(apiKey));
  const { key = sent, id, plan } = apiKey as FoundKey;
  expect(typeof key === 'string', 'a `key` that is a text', describe(key));
  const isText = typeof id === 'string' && id !== '';
  const isId = id == null || isText || typeof id === 'bigint' || Number.isSafeInteger(id);
  expect(isId, 'an `id` that is a text or an integer', describeValue(id));
  expect(plan == null || Object.hasOwn(plans, plan), 'the name of one of the plans', describeValue(plan));
  // A hash doesn't reveal the key.
  const owner = id == null ? digest(key).toString('hex').slice(0, 32) : String(id);
  return { owner, plan: plan ?? undefined };
}

/** Browsers can't set headers of a WebSocket: pages send the key as a subprotocol. */
function keyOfSocket(request: ApiRequest): string | undefined {
  if (request.asksForSocket !== true) return undefined;
  const key = protocolsOf(request).find((name) => name.startsWith(keyProtocol));
  return key?.slice(keyProtocol.length);
}

function fromList(keys: readonly (string | ApiKey)[] | undefined, { plans }: AuthenticationOptions): Find {
  if (!Array.isArray(keys) || keys.length === 0)
    throw new TypeError("auth: expected { keys: [...] } with at least one key, a function or 'none'");
  const known = keys.map((entry: string | ApiKey, index) => {
    const apiKey = typeof entry === 'string' ? { key: entry } : entry;
    if ((apiKey?.key ?? '') === '')
      throw new TypeError(`auth.keys[${index}]: the key is empty: is SLASHV1_API_KEY set?`);
    if (typeof apiKey.key !== 'string' || !/^\S+$/.test(apiKey.key))
      throw new TypeError(`auth.keys[${index}]: expected text without white space`);
    const identity = toIdentity(apiKey, apiKey.key, plans);
    return { key: apiKey.key, digest: digest(apiKey.key), identity };
  });
  if (new Set(known.map(({ key }) => key)).size < known.length)
    throw new TypeError('auth: expected each key only once');
  return (key) => {
    const given = digest(key);
    let match: Identity | null = null;
    // No early exit: the time must not depend on which key matches.
    for (const candidate of known) {
      if (crypto.timingSafeEqual(candidate.digest, given)) match = candidate.identity;
    }
    return match;
  };
}

function digest(key: string): Buffer {
  // Faster, but only since Node 20.12.
  return crypto.hash === undefined
    ? crypto.createHash('sha256').update(key).digest()
    : crypto.hash('sha256', key, 'buffer');
}
