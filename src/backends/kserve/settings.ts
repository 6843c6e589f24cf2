import { z } from 'zod';
import {
  booleanSetting,
  integerSetting,
  textSetting,
  type SettingTable,
} from '../../validation/setting-table.ts';
import { certificatesSetting, remoteKeySetting, upstreamsSetting } from '../access-settings.ts';

const tensors = z.array(z.strictObject({ name: z.string(), datatype: z.string(), shape: z.array(z.int()) }));

/** Settings of the backend `kserve`. */
export const graphServerSettings = {
  url: textSetting('Address without `/v2`; omit it with `upstreams`.'),
  upstreams: upstreamsSetting('url', 'graphs', 'a run'),
  model: z
    .union([z.string(), z.record(z.string(), z.string())])
    .describe("The server's name of the graph; for an image model, the name of each part, such as `unet`."),
  apiKey: remoteKeySetting,
  headers: z.record(z.string(), z.string()).optional().describe('Sent with every request.'),
  concurrency: integerSetting('Maximum requests at once; the others wait. Default: as on this machine.'),
  binary: booleanSetting(
    'Send tensors as bytes; default: if the server lists the extension `binary_tensor_data`.',
  ),
  signature: z
    .record(z.string(), z.strictObject({ inputs: tensors, outputs: tensors }))
    .optional()
    .describe(
      "Inputs and outputs of graphs that the server doesn't describe, under the server's names; each a list of `name`, `datatype` and `shape`.",
    ),
  tls: certificatesSetting,
  timeoutMs: integerSetting('Longest time for one run; default 60 s.'),
  startTimeoutMs: integerSetting('Time limit for the server to become ready at load time; default 60 s.'),
} satisfies SettingTable;
