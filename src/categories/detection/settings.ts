import { z } from 'zod';
import { headNames } from '../../core/vision/heads/head.ts';
import { integerSetting, type SettingsOf, type SettingTable } from '../../validation/setting-table.ts';
import { describeValue } from '../../core/text/quote.ts';

const imageFetch = z.strictObject({
  allowPrivateNetworks: z.union([z.boolean(), z.array(z.string())]).optional(),
  allowedHosts: z.array(z.string()).optional(),
  maxBytes: integerSetting('Largest file; default 20 MiB.'),
  timeoutMs: integerSetting('Time for everything, redirects included; default 10 s.'),
});

/** Settings of a detection model. */
export const detectionSettings = {
  head: z
    .string()
    .refine((head) => (headNames as readonly string[]).includes(head) || /[./]/.test(head), {
      error: ({ input }) =>
        `expected one of ${headNames.join(', ')}, or the path of a module, got ${describeValue(input)}`,
    })
    .optional()
    .describe(
      `Layout of the model's outputs: ${headNames.map((name) => `\`${name}\``).join(', ')}, or the path of a module that decodes them; default: their names and shapes show it.`,
    ),
  classNames: z
    .union([z.string(), z.array(z.string())])
    .optional()
    .describe(
      "Names of the model's classes, or path of a text file with one on each line; default: its files have them.",
    ),
  imageFetch: imageFetch
    .optional()
    .describe('The URLs of images that are fetched; default: those on the public Internet, 20 MiB, 10 s.'),
  maxPixels: integerSetting(
    'Images of more pixels are refused, AVIF of more than a quarter of that; default 2²⁶, which takes up to 310 MB.',
  ),
} satisfies SettingTable;

/** The values of `detectionSettings`. */
export type DetectionSettings = SettingsOf<typeof detectionSettings>;
