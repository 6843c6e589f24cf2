import { z } from 'zod';
import {
  choiceSetting,
  integerSetting,
  textSetting,
  type SettingTable,
} from '../../validation/setting-table.ts';

/** The servers whose parameters beyond the wire format's own are known. */
export const apiDialects = ['openai', 'vllm', 'llama-server', 'slashv1'] as const;

/** The parameters beyond the wire format's own that a server takes, and their names. */
export type ApiDialect = (typeof apiDialects)[number];

/** A server that answers chat and embeddings in the wire format of this API; plain data. */
export interface ApiServer {
  readonly kind: 'openai';
  /** Up to and including `/v1`. */
  readonly baseURL: string;
  /** Sent as bearer token. */
  readonly apiKey?: string | undefined;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Default `openai`: the wire format's own parameters and no others. */
  readonly dialect?: ApiDialect | undefined;
  /** Requests that it gets at once; the others wait here. Default 64. */
  readonly concurrency?: number | undefined;
}

/** Settings of the backend `openai`. */
export const apiServerSettings = {
  baseURL: textSetting('Address up to and including `/v1`.'),
  apiKey: textSetting('Sent as bearer token.'),
  headers: z.record(z.string(), z.string()).optional().describe('Sent with every request.'),
  dialect: choiceSetting(
    'Parameters beyond the wire format that the server takes; default `openai`: none.',
    apiDialects,
  ),
  concurrency: integerSetting('Requests that the server gets at once; the others wait here. Default 64.'),
} satisfies SettingTable;
