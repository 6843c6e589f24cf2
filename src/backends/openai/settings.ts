import { z } from 'zod';
import {
  booleanSetting,
  choiceSetting,
  integerSetting,
  textSetting,
  type SettingTable,
} from '../../validation/setting-table.ts';
import { certificatesSetting, remoteKeySetting, upstreamsSetting } from '../access-settings.ts';
import { apiDialects, type ApiTimeouts } from './server.ts';

/** The maximum delay of a timer. */
const anyDelay = { min: 1, max: 2 ** 31 - 1 };

/** Settings of the backend `openai`. */
export const apiServerSettings = {
  baseURL: textSetting('Address up to and including `/v1`; omit it with `upstreams`.'),
  apiKey: remoteKeySetting,
  tls: certificatesSetting,
  headers: z.record(z.string(), z.string()).optional().describe('Sent with every request.'),
  upstreams: upstreamsSetting('baseURL', 'models', 'a request'),
  prefixAffinity: booleanSetting(
    'Send chats with the same beginning (up to the first message of the user) to the same one of `upstreams`, unless it has far more than its share of the requests; default `false`.',
  ),
  timeoutMs: z
    .strictObject({
      connect: integerSetting('Until a new connection is there; default 10 s.', anyDelay),
      firstByte: integerSetting(
        'From the request to the first byte of its answer; default 60 s; of a single server, images and transcripts 5 minutes.',
        anyDelay,
      ),
      idle: integerSetting(
        'From one byte of the answer to the next; default 60 s, of a single server 5 minutes.',
        anyDelay,
      ),
    } satisfies Record<keyof ApiTimeouts, unknown>)
    .optional()
    .describe(
      'Longest times without anything from a server; after that another one gets the request, if nothing of the answer was passed on.',
    ),
  dialect: choiceSetting(
    'Parameters beyond the wire format that the server accepts; default `openai`: none.',
    apiDialects,
  ),
  concurrency: integerSetting(
    'Maximum requests at once; the others wait here. Default 64, or the sum of `maxConcurrent`.',
  ),
  extraBody: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('Fields for the body of every request; fields of the request itself override them.'),
  tokenizer: textSetting(
    "Source of the model's tokenizer: it counts tokens if the server reports none; without it they are estimated from bytes.",
  ),
} satisfies SettingTable;
