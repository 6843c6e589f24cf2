import { readFile } from 'node:fs/promises';
import { extname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { hubSettings } from '../../categories/settings.ts';
import { roomSettings } from '../../inference.ts';
import { healthSettings } from '../../server/health.ts';
import { handlerSettings } from '../../server/options.ts';
import { check, unreadable, UsageError } from '../options.ts';
import type { ModelSettings } from '../model-settings.ts';

const configSchema = z
  .strictObject({
    host: z.string(),
    port: z.int().min(0).max(65_535),
    drainMs: z.number(),
    drainDelayMs: z.number(),
    playground: z.boolean(),
    metrics: z.boolean(),
    hub: z.strictObject(hubSettings),
    isolation: z.enum(['process', 'inline']),
    ...roomSettings,
    ...healthSettings,
    // Each is checked with its category in view.
    models: z.record(
      z.string().min(1),
      z.custom<ModelSettings>((value) => typeof value === 'object' && value !== null),
    ),
    ...handlerSettings,
  })
  .partial();

/** The settings that a config file may hold. */
export type Config = z.infer<typeof configSchema>;

/** Reads a config file: JSON, or a module (.js, .mjs) with the settings as its default export. */
export async function readConfigFile(path: string): Promise<Config> {
  return check(path, configSchema, await readSettings(path));
}

async function readSettings(path: string): Promise<unknown> {
  const isModule = ['.js', '.mjs'].includes(extname(path));
  try {
    if (!isModule) return JSON.parse(await readFile(path, 'utf8')) as unknown;
    const module = (await import(pathToFileURL(resolve(path)).href)) as { readonly default?: unknown };
    if ('default' in module) return module.default;
  } catch (error) {
    throw unreadable('--config', path)(error as Error);
  }
  throw new UsageError(`--config: ${path} has no default export`);
}
