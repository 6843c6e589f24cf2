import { fieldError } from '../errors.ts';
import { describeValue } from '../core/text/quote.ts';

const noAddress = { protocol: '', username: '', password: '' };

/** @throws InferenceError `invalid_request` for an address that is no http address, or holds a password */
export function assertAddress(param: string, address: unknown): void {
  const text = typeof address === 'string' ? address : '';
  const { protocol, username, password } = URL.canParse(text) ? new URL(text) : noAddress;
  if (protocol !== 'http:' && protocol !== 'https:') {
    throw fieldError(param, `expected an http or https address, got ${describeValue(address)}`);
  }
  if (username === '' && password === '') return;
  throw fieldError(param, 'expected no user and password in it; headers can carry them');
}
