import { z } from 'zod';
import { integerSetting, type SettingTable } from '../validation/setting-table.ts';

const imageFetch = z.strictObject({
  allowPrivateNetworks: z.union([z.boolean(), z.array(z.string())]).optional(),
  allowedHosts: z.array(z.string()).optional(),
  maxBytes: integerSetting('Largest file; default 20 MiB.'),
  timeoutMs: integerSetting('Time limit, redirects included; default 10 s.'),
});

/** Settings of models with image input. */
export const imageInputSettings = {
  imageFetch: imageFetch
    .optional()
    .describe('Permitted URLs of images; default: the public Internet, 20 MiB, 10 s.'),
  maxPixels: integerSetting(
    'Images of more pixels are refused, and those that take more than six bytes per pixel of that number while they are decoded: AVIF of more than a quarter, WebP and RGBA of 16 bits of more than three quarters. Default 2²⁶, which takes up to 550 MB, 640 where the model sees it at its full size.',
  ),
  maxSide: integerSetting('Images whose width or height has more pixels are refused. Default 16,384.'),
} satisfies SettingTable;
