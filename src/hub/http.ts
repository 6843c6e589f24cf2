import type { InferenceError } from '../errors.ts';
import { readText, type BodyOptions } from '../runtime/http/answer-body.ts';
import { reasonOfFetch } from '../runtime/http/fetch-failures.ts';
import { TransientError, withRetries, type RetryPolicy } from './retry.ts';
import { sourceError } from '../folder/model-files.ts';

/** Server and model of requests, with names for messages and a retry policy. */
export interface Remote {
  readonly policy: RetryPolicy;
  readonly signal?: AbortSignal | undefined;
  readonly host: string;
  /** The token is sent only to this origin. */
  readonly tokenOrigin: string;
  readonly token: string | undefined;
  /** Id of the repository, or address of the folder. */
  readonly label: string;
  /** Page with the model's terms of use; `undefined` for servers other than Hugging Face. */
  readonly page: string | undefined;
}

export interface HubRequest {
  readonly method?: 'GET' | 'HEAD' | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
}

export type HubResponse = Awaited<ReturnType<typeof openUrl>>;

const maxRedirects = 10;
/** The list of a repository of 100,000 files takes 30 MB. */
const maxTextBytes = 2 ** 26;
const redirects = new Set([301, 302, 303, 307, 308]);

/** Sends a request and follows redirects. */
export async function openUrl(
  remote: Remote,
  url: string,
  { method = 'GET', headers, signal }: HubRequest = {},
) {
  const passed: Response[] = [];
  for (let at = new URL(url); passed.length <= maxRedirects;) {
    const response = await fetchOnce(at, {
      method,
      headers: { ...headers, ...authorization(remote, at) },
      signal: signal ?? null,
      redirect: 'manual',
    });
    passed.push(response);
    if (!redirects.has(response.status)) {
      await assertAvailable(response, at);
      return {
        /** The last response, after all redirects. */
        response,
        /** A header of the first response that has it, redirects included: the hub's own headers win over its storage's. */
        header: (name: string): string | undefined =>
          passed.map((one) => one.headers.get(name)).find((value) => value !== null) ?? undefined,
      };
    }
    await response.body?.cancel();
    at = redirectTarget(response, at);
  }
  throw sourceError(`${new URL(url).host} redirects ${remote.label} in circles`);
}

/** Sends a request with retries and a timeout. */
export async function askServer<T>(
  remote: Remote,
  url: string,
  read: (answer: HubResponse, signal: AbortSignal) => T | Promise<T>,
  request: Omit<HubRequest, 'signal'> = {},
): Promise<T> {
  return withRetries(async () => {
    const timeout = AbortSignal.timeout(remote.policy.stallMs);
    const signal = remote.signal ? AbortSignal.any([remote.signal, timeout]) : timeout;
    return read(await openUrl(remote, url, { ...request, signal }), signal);
  }, remote);
}

/** The body of a response as UTF-8. */
export async function readAnswer(
  response: Response,
  { signal, maxBytes = maxTextBytes }: BodyOptions = {},
): Promise<string> {
  return readText(response, { signal, maxBytes }).catch((error: unknown) => {
    throw error instanceof RangeError ? sourceError(`a server's answer has ${error.message}`) : error;
  });
}

/** The error for a status that is neither success nor transient. */
export function refusal(
  { response, header }: HubResponse,
  remote: Remote,
  { file, revision }: { file?: string; revision?: string } = {},
): InferenceError {
  const { status } = response;
  const { host, page } = remote;
  const code = header('x-error-code');
  if (page !== undefined && (status === 403 || code === 'GatedRepo')) {
    return sourceError(
      `${remote.label} is not open to everybody: accept its terms at ${page} and set HF_TOKEN to a token of that account`,
    );
  }
  if (page !== undefined && status === 401) {
    const why = remote.token === undefined ? 'wants to know who asks' : 'refuses the token';
    return sourceError(
      `${host} ${why} for ${remote.label}: check the name; if the model is private or gated, accept its terms at ${page} and set HF_TOKEN`,
    );
  }
  if (status !== 404) return sourceError(`${host} answers with status ${status} for ${remote.label}`);
  if (file !== undefined) return sourceError(`${remote.label} has no file ${file}`);
  if (code === 'RevisionNotFound') return sourceError(`${remote.label} has no revision ${revision}`);
  return sourceError(`there is no model ${remote.label} on ${host}, and no such folder here`);
}

function authorization({ tokenOrigin, token }: Remote, url: URL): Readonly<Record<string, string>> {
  return token !== undefined && url.origin === tokenOrigin ? { authorization: `Bearer ${token}` } : {};
}

async function fetchOnce(url: URL, init: RequestInit): Promise<Response> {
  return fetch(url, init).catch((cause: unknown) => {
    throw new TransientError(`${url.host} can't be reached (${reasonOfFetch(cause)})`, { cause });
  });
}

async function assertAvailable(response: Response, url: URL): Promise<void> {
  const { status } = response;
  if (status !== 408 && status !== 429 && status < 500) return;
  await response.body?.cancel();
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  throw new TransientError(`${url.host} answers with status ${status}`, {
    retryAfterMs: Number.isFinite(seconds) ? seconds * 1000 : undefined,
  });
}

function redirectTarget(response: Response, from: URL): URL {
  const location = response.headers.get('location') ?? '';
  const target = URL.canParse(location, from.href) ? new URL(location, from) : undefined;
  if (target?.protocol === 'https:' || (target?.protocol === 'http:' && from.protocol === 'http:'))
    return target;
  throw sourceError(`${from.host} redirects to an address that isn't safe to follow`);
}
