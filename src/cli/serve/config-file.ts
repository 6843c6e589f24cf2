import { readFile } from 'node:fs/promises';
import { extname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import type { KeyLookup } from '../../server/authentication.ts';
import type { HandlerOptions, InferenceOptions, Logger, Observer } from '../../index.ts';
import { check } from '../check.ts';
import { hubSchema, modelSchema } from '../../model-settings.ts';
import { UsageError } from '../usage-error.ts';

const limit = z.strictObject({
  requests: z.number().optional(),
  tokens: z.number().optional(),
  perSeconds: z.number(),
});

const plan = z.strictObject({
  models: z.array(z.string()).optional(),
  quota: limit.optional(),
  rateLimit: limit.optional(),
});

const apiKey = z.union(
  [z.string(), z.strictObject({ key: z.string(), id: z.string().optional(), plan: z.string().optional() })],
  { error: 'expected a key or { "key": … }' },
);

const aFunction = <T>() =>
  z.custom<T>((value) => typeof value === 'function', {
    error: 'expected a function, which a .js or .mjs file can hold',
  });

const logger = z.custom<Logger>((value) => typeof value === 'object' && value !== null, {
  error: 'expected a logger such as one of pino, which a .js or .mjs file can hold',
});

const anObserver = z.custom<Observer>((value) => typeof value === 'object' && value !== null, {
  error: 'expected an observer, which a .js or .mjs file can hold',
});

/** The settings of the handler; the ranges are its own. */
const handlerShape = {
  auth: z.union([z.literal('none'), z.strictObject({ keys: z.array(apiKey) }), aFunction<KeyLookup>()], {
    error: 'expected "none" or { "keys": [...] }',
  }),
  plans: z.record(z.string(), plan),
  limiter: aFunction<NonNullable<HandlerOptions['limiter']>>(),
  maxBodyBytes: z.number(),
  maxUploadBytes: z.number(),
  uploadDirectory: z.string(),
  keepAliveMs: z.number(),
  onError: aFunction<NonNullable<HandlerOptions['onError']>>(),
  logger,
  observers: z.array(anObserver),
} satisfies Record<keyof HandlerOptions, z.ZodType>;

const inferenceShape = {
  models: z.record(z.string().min(1), modelSchema),
  isolation: z.enum(['process', 'inline']),
  logger,
  observers: z.array(anObserver),
} satisfies Record<keyof InferenceOptions, z.ZodType>;

const configSchema = z
  .strictObject({
    host: z.string(),
    port: z.int().min(0).max(65_535),
    drainMs: z.number(),
    playground: z.boolean(),
    metrics: z.boolean(),
    hub: hubSchema,
    ...inferenceShape,
    ...handlerShape,
  })
  .partial();

/** What a config file may hold. */
export type Config = z.infer<typeof configSchema>;

const knownSettings: readonly string[] = [
  ...Object.keys(configSchema.shape),
  ...Object.keys(modelSchema.shape),
  ...Object.keys(hubSchema.shape),
  ...Object.keys(plan.shape),
  ...Object.keys(limit.shape),
];

/**
 * Reads a config file: JSON, or a module (.js, .mjs) with the settings as its default export.
 *
 * @throws UsageError where it can't be read, is no JSON or no such module, or has a setting that doesn't exist or is of
 * another type
 */
export async function readConfigFile(path: string): Promise<Config> {
  return check(path, configSchema, await readSettings(path), knownSettings);
}

async function readSettings(path: string): Promise<unknown> {
  const isModule = ['.js', '.mjs'].includes(extname(path));
  try {
    if (!isModule) return JSON.parse(await readFile(path, 'utf8')) as unknown;
    const module = (await import(pathToFileURL(resolve(path)).href)) as { readonly default?: unknown };
    if ('default' in module) return module.default;
  } catch (error) {
    throw new UsageError(`--config: ${path} can't be read: ${(error as Error).message}`, { cause: error });
  }
  throw new UsageError(`--config: ${path} has no default export`);
}
