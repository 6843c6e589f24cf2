import { describeValue } from '../core/text/quote.ts';
import { InferenceError, fieldError } from '../errors.ts';

/** A key, or a function that is asked for it before every request, so that keys may change. */
export type RemoteKey = string | (() => string | Promise<string>);

/** The header with a key. */
export async function authorization(apiKey: RemoteKey | undefined): Promise<Record<string, string>> {
  if (apiKey === undefined) return {};
  const key = typeof apiKey === 'string' ? apiKey : await askFor(apiKey);
  return { authorization: `Bearer ${key}` };
}

async function askFor(apiKey: Exclude<RemoteKey, string>): Promise<string> {
  try {
    const key: unknown = await apiKey();
    if (typeof key === 'string' && key !== '') return key;
    throw new TypeError(`apiKey: expected a text, got ${describeValue(key)}`);
  } catch (cause) {
    throw new InferenceError('worker_failed', 'There is no key for the remote server.', { cause });
  }
}

const noAddress = { protocol: '', username: '', password: '' };

/** @throws InferenceError `invalid_request` for an address that is no http address, or holds a password */
function assertAddress(param: string, address: unknown): void {
  const text = typeof address === 'string' ? address : '';
  const { protocol, username, password } = URL.canParse(text) ? new URL(text) : noAddress;
  if (protocol !== 'http:' && protocol !== 'https:')
    throw fieldError(param, `expected an http or https address, got ${describeValue(address)}`);
  if (username === '' && password === '') return;
  throw fieldError(param, 'expected no user and password in it; headers can carry them');
}

/** Checks the address of a backend, or those of its `upstreams`. */
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
