import { z } from 'zod';
import { dtypes } from '../folder/graph-files.ts';
import { verifications } from '../core/verification.ts';
import { deviceSetting, threadBounds } from '../validation/device-setting.ts';
import {
  booleanSetting,
  choiceSetting,
  integerSetting,
  textSetting,
  type SettingTable,
} from '../validation/setting-table.ts';
import type { ModelOptions } from '../contracts/model.ts';

export const hubSettings = {
  endpoint: textSetting(
    'Address of Hugging Face or a mirror; default `HF_ENDPOINT`, else `https://huggingface.co`.',
  ),
  token: textSetting('Token for the endpoint, sent only to its origin; default `HF_TOKEN`.'),
  cacheFolder: textSetting("Folder of downloaded models; default: Hugging Face's own cache."),
  offline: booleanSetting('Use only the cache; default `SLASHV1_OFFLINE` or `HF_HUB_OFFLINE`, else false.'),
} satisfies SettingTable;

/** Settings for models of every category. */
export const commonSettings = {
  source: z
    .string()
    .min(1, { error: 'expected the source of a model, got nothing' })
    .describe(
      "A bundled name, a folder in Hugging Face's ONNX layout, a GGUF file, a name in the catalogue, `org/name` or `org/name/file.gguf` on Hugging Face, or the address of such a folder.",
    ),
  dtype: choiceSetting(
    'The weights to load; `auto` selects fp32, else the first available. Default `auto`.',
    dtypes,
  ),
  hub: z
    .strictObject(hubSettings)
    .optional()
    .describe('Source and cache of models; default: from the environment.'),
  verify: choiceSetting(
    'Which files to verify by hash at load time. `changed`: downloaded files with a new size, time or inode since the last verification, and all files of bundled models; `always`: all files, which detects damaged disks but reads the whole model; `never`. Default `changed`.',
    verifications,
  ),
  name: textSetting('Display name; default: the id.'),
  defaults: z
    .record(z.string(), z.unknown())
    .optional()
    .describe(
      'Default values of parameters, by name: `{ temperature: 0.2, maxTokens: 2048 }`; discovery shows them.',
    ),
  device: deviceSetting(
    "Device to run on; default `cpu`. `cuda:1` is the second GPU, `openvino` or `openvino:1` a plugin's device.",
  ),
  threads: integerSetting('Threads per operator; default: cores − 1, at least 1.', threadBounds),
  cancelGraceMs: integerSetting(
    'Time in which a worker must confirm a cancellation before it is replaced; six times as long while it computes, in processor time. A worker without a heartbeat is replaced after twice this time, at least 5 s, even without a cancellation; a worker stopped by a signal, after 3 s (Linux). Default 5000.',
    { min: 1, max: 600_000 },
  ),
  warmUp: booleanSetting(
    'Answer a short request while loading, so that the first request is fast. It ends after a second. Default: true, but false with `loadOnDemand`.',
  ),
} satisfies SettingTable;

/** Describes a model of a category by its settings and limits. */
export type Describe<Settings extends object, Category extends string> = (
  options: Omit<ModelOptions<Settings>, 'category'>,
) => ModelOptions<Settings> & { readonly category: Category };

export function describing<Settings extends object, Category extends string>(
  category: Category,
): Describe<Settings, Category> {
  return (options) => ({ ...options, category }) as ReturnType<Describe<Settings, Category>>;
}

const imageFetch = z.strictObject({
  allowPrivateNetworks: z.union([z.boolean(), z.array(z.string())]).optional(),
  allowedHosts: z.array(z.string()).optional(),
  maxBytes: integerSetting('Maximum size of a file; default 20 MiB.'),
  timeoutMs: integerSetting('Time limit, redirects included; default 10 s.'),
});

/** Settings of models with image input. */
export const imageInputSettings = {
  imageFetch: imageFetch
    .optional()
    .describe('Permitted URLs of images; default: the public Internet, 20 MiB, 10 s.'),
  maxPixels: integerSetting(
    'Images with more pixels are rejected, as are images that need more than six bytes per pixel of that number to decode: AVIF above a quarter, WebP and 16-bit RGBA above three quarters. Default 2²⁶, which takes up to 550 MB, 640 MB if the model reads full-size images.',
  ),
  maxSide: integerSetting('Images with more pixels in width or height are rejected. Default 16,384.'),
} satisfies SettingTable;
