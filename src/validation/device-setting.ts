import { z } from 'zod';
import { devices, type Device } from '../core/device.ts';
import { describeValue } from '../core/text/quote.ts';
import { fieldError } from '../errors.ts';

const builtIn = /^cuda:(?:0|[1-9]\d*)$/;
const ofPlugin = /^([a-z][a-z\d-]*)(?::(?:0|[1-9]\d*))?$/;

/** Threads per operator. Creating a pool of millions never finishes. */
export const threadBounds = { min: 1, max: 1024 };

/** One of `devices`, `cuda:1`, or a plugin's device; `assertDevice` checks that the plugin exists. */
export function deviceSetting(description: string): z.ZodOptional<z.ZodType<Device>> {
  return z
    .union(
      [
        z.enum(devices),
        z.custom((value) => typeof value === 'string' && builtIn.test(value)).meta({ title: '`cuda:1`' }),
        z
          .custom((value) => typeof value === 'string' && ofPlugin.test(value))
          .meta({ title: "a plugin's `provider`" }),
      ],
      { error: ({ input }: { input?: unknown }) => refusal(input) },
    )
    .optional()
    .describe(description) as never;
}

export function assertDevice(label: string, device: string | undefined, providers: readonly string[]): void {
  if (device === undefined || builtIn.test(device) || (devices as readonly string[]).includes(device)) return;
  const [, name] = ofPlugin.exec(device) ?? [];
  if (!providers.includes(name!)) throw fieldError(label, refusal(device, providers));
}

function refusal(given: unknown, providers: readonly string[] = []): string {
  const expected = [...devices, 'cuda:1', ...providers].map((word) => `"${word}"`).join(' or ');
  return `expected ${expected}, got ${describeValue(given)}`;
}
