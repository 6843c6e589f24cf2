import { z } from 'zod';
import { integerSetting, type SettingTable } from '../validation/setting-table.ts';

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
