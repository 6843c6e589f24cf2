import { z } from 'zod';
import { expecting } from '../validation/expecting.ts';
import type { Certificates } from '../runtime/http/fetch-with-certificates.ts';
import type { RemoteKey } from './access.ts';

/** A setting for a key. */
export const remoteKeySetting = z
  .union(
    [
      z.string().min(1),
      z
        .custom<Exclude<RemoteKey, string>>((value) => typeof value === 'function')
        .meta({ title: 'a function' }),
    ],
    expecting('a text or a function'),
  )
  .optional()
  .describe('Bearer token, or a function that is called for it before every request.');

/** A setting for certificates. */
export const certificatesSetting = z
  .strictObject({
    ca: z.string().optional().describe("The authority that signed the server's certificate, as PEM text."),
    cert: z.string().optional().describe('Client certificate, as PEM text.'),
    key: z.string().optional().describe('The key of `cert`, as PEM text.'),
  } satisfies Record<keyof Certificates, unknown>)
  .optional()
  .describe("Certificates of the connection; default: Node's authorities and no client certificate.");

/** A setting for several servers. @param asked the unit of work that goes to one of them */
export const upstreamsSetting = (address: 'url' | 'baseURL', things: string, asked: string) =>
  z
    .array(
      z.strictObject({
        [address]: z.string(),
        apiKey: remoteKeySetting,
        maxConcurrent: z.int().min(1).optional(),
      }),
    )
    .min(1)
    .optional()
    .describe(
      `Servers of the same ${things} in place of \`${address}\`, each with \`${address}\`, \`apiKey\` and \`maxConcurrent\` (64); ${asked} goes to the least busy one that is healthy.`,
    );
