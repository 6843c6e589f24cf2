import { withinTime } from '../concurrency/within-time.ts';
import { describeValue } from '../core/text/quote.ts';
import { InferenceError, fieldError } from '../errors.ts';
import { fetchWith, type Certificates, type HttpRequest } from '../runtime/http/fetch-with-certificates.ts';
import type { HttpAnswer } from '../runtime/http/answer-body.ts';
import type { Upstream } from './upstreams.ts';

/** A key, or a function that is called before every request, so that keys may change. */
export type RemoteKey = string | (() => string | Promise<string>);

/** A server with its access settings. */
export interface RemoteEndpoint extends Upstream {
  readonly apiKey: RemoteKey | undefined;
  readonly tls: Certificates | undefined;
  readonly headers: Readonly<Record<string, string>> | undefined;
}

/** Settings of all servers of a backend. */
export type RemoteAccess = Partial<Pick<RemoteEndpoint, 'apiKey' | 'tls' | 'headers'>>;

interface ListedServer extends Pick<RemoteAccess, 'apiKey'> {
  readonly url: string;
  readonly maxConcurrent?: number | undefined;
}

const defaultMaxConcurrent = 64;
/** Timeout of a function that returns a key. */
const keyTimeoutMs = 30_000;

/** The servers of a backend; the backend's settings are defaults. */
export function endpointsOf(
  listed: readonly ListedServer[],
  { apiKey, tls, headers }: RemoteAccess,
): RemoteEndpoint[] {
  return listed.map(({ url, apiKey: own, maxConcurrent = defaultMaxConcurrent }) => {
    return { url: url.replace(/\/+$/, ''), apiKey: own ?? apiKey, tls, headers, maxConcurrent };
  });
}

/** Creates a function that sends one request, with retries, using the current key. */
export async function senderTo(
  { url, apiKey, tls, headers }: RemoteEndpoint,
  connectMs?: number,
): Promise<(path: string, request: HttpRequest) => Promise<HttpAnswer>> {
  const key = await authorization(apiKey);
  return (path, { headers: own, ...request }) =>
    fetchWith(tls, connectMs)(url + path, { ...request, headers: { ...own, ...key, ...headers } });
}

async function authorization(apiKey: RemoteKey | undefined): Promise<Record<string, string>> {
  if (apiKey === undefined) return {};
  const key = typeof apiKey === 'string' ? apiKey : await askFor(apiKey);
  return { authorization: `Bearer ${key}` };
}

async function askFor(apiKey: Exclude<RemoteKey, string>): Promise<string> {
  try {
    const key: unknown = await withinTime(apiKey, keyTimeoutMs);
    if (typeof key === 'string' && key !== '') return key;
    throw new TypeError(`apiKey: expected a text, got ${describeValue(key)}`);
  } catch (cause) {
    throw new InferenceError('worker_failed', 'There is no key for the remote server.', { cause });
  }
}

const noAddress = { protocol: '', username: '', password: '' };

/** @throws InferenceError `invalid_request` for an address that isn't http, or contains a password */
function assertAddress(param: string, address: unknown): void {
  const text = typeof address === 'string' ? address : '';
  const { protocol, username, password } = URL.canParse(text) ? new URL(text) : noAddress;
  if (protocol !== 'http:' && protocol !== 'https:')
    throw fieldError(param, `expected an http or https address, got ${describeValue(address)}`);
  if (username === '' && password === '') return;
  throw fieldError(param, 'expected no user and password in it; headers can carry them');
}

/** Validates the address of a backend, or of its `upstreams`. */
export function assertAddresses<Name extends string>(
  path: string,
  name: Name,
  settings: { readonly [N in Name]?: unknown } & {
    readonly upstreams?: readonly { readonly [N in Name]?: unknown }[] | undefined;
  },
): void {
  const { upstreams } = settings;
  if (upstreams === undefined) return assertAddress(`${path}${name}`, settings[name]);
  if (settings[name] !== undefined)
    throw fieldError(`${path}upstreams`, `expected no \`${name}\` beside them`);
  for (const [index, upstream] of upstreams.entries())
    assertAddress(`${path}upstreams[${index}].${name}`, upstream[name]);
}
