import { describeValue } from '../core/text/quote.ts';
import { InferenceError } from '../errors.ts';

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
