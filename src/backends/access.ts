import { z } from 'zod';
import { describeValue } from '../core/text/quote.ts';
import { InferenceError } from '../errors.ts';
import type { Certificates } from '../runtime/http/fetch-with-certificates.ts';

/** A key, or a function that is asked for it before every request, so that keys may change. */
export type RemoteKey = string | (() => string | Promise<string>);

/** A setting that holds a key. */
export const remoteKeySetting = z
  .union(
    [
      z.string().min(1),
      z
        .custom<Exclude<RemoteKey, string>>((value) => typeof value === 'function')
        .meta({ title: 'a function' }),
    ],
    {
      error: ({ input }) => `expected a text or a function, got ${describeValue(input)}`,
    },
  )
  .optional()
  .describe('Bearer token, or a function that is called for it before every request.');

/** A setting that holds certificates. */
export const certificatesSetting = z
  .strictObject({
    ca: z.string().optional().describe("The authority that signed the server's certificate, as PEM text."),
    cert: z.string().optional().describe('Client certificate, as PEM text.'),
    key: z.string().optional().describe('The key of `cert`, as PEM text.'),
  } satisfies Record<keyof Certificates, unknown>)
  .optional()
  .describe("Certificates of the connection; default: Node's authorities and no client certificate.");

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
