import { z } from 'zod';
import { devices, type Device } from '../core/device.ts';
import { describeValue } from '../core/text/quote.ts';
import { fieldError } from '../errors.ts';

const builtIn = /^cuda:(?:0|[1-9]\d*)$/;
const ofPlugin = /^([a-z][a-z\d-]*)(?::(?:0|[1-9]\d*))?$/;

/** Threads of one operator. A pool of millions never comes up. */
export const threadBounds = { min: 1, max: 1024 };

/** One of `devices`, `cuda:1`, or a device of a plugin; `assertDevice` checks whether there is such a plugin. */
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

/** Checks that a device is built in, or one of a plugin's. */
export function assertDevice(label: string, device: string | undefined, providers: readonly string[]): void {
  if (device === undefined || builtIn.test(device) || (devices as readonly string[]).includes(device)) return;
  const [, name] = ofPlugin.exec(device) ?? [];
  if (!providers.includes(name!)) throw fieldError(label, refusal(device, providers));
}

function refusal(given: unknown, providers: readonly string[] = []): string {
  const expected = [...devices, 'cuda:1', ...providers].map((word) => `"${word}"`).join(' or ');
  return `expected ${expected}, got ${describeValue(given)}`;
}
