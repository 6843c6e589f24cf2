import { z } from 'zod';
import { integerSetting, textSetting, type SettingTable } from '../../validation/setting-table.ts';

/** A server that runs graphs by the Open Inference Protocol v2; plain data. */
export interface GraphServer {
  readonly kind: 'kserve';
  /** Without `/v2`. */
  readonly url: string;
  /** As the server calls the graph; of an image model, the name for each of its parts, such as `unet`. */
  readonly model: string | Readonly<Record<string, string>>;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Longest time for one run; default 60 s. */
  readonly timeoutMs?: number | undefined;
  /** How long a server is waited for that isn't ready yet when the model is loaded; default 60 s. */
  readonly startTimeoutMs?: number | undefined;
}

/** Settings of the backend `kserve`. */
export const graphServerSettings = {
  url: textSetting('Address without `/v2`.'),
  model: z
    .union([z.string(), z.record(z.string(), z.string())])
    .describe(
      "The server's name of the graph; of an image model, the name for each of its parts, such as `unet`.",
    ),
  headers: z.record(z.string(), z.string()).optional().describe('Sent with every request.'),
  timeoutMs: integerSetting('Longest time for one run; default 60 s.'),
  startTimeoutMs: integerSetting(
    'Time that a server may need to become ready when the model is loaded; default 60 s.',
  ),
} satisfies SettingTable;
