import { fieldError } from '../errors.ts';
import { describeValue } from '../core/text/quote.ts';

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
