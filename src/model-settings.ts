import { z } from 'zod';
import { headNames } from './core/vision/heads/head.ts';
import type { ModelOptions } from './engine/contract.ts';
import { storedDtypes } from './models/graph-files.ts';
import { modelFiles, type ModelCategory } from './models/model-files.ts';
import type { Device } from './categories/contract.ts';
import { apiDialects } from './backends/openai/dialects.ts';
import type { ApiDialect } from './backends/openai/servers.ts';

/** All categories of models. */
export const categories = Object.keys(modelFiles) as readonly ModelCategory[];

const devices = ['cpu', 'webgpu', 'cuda', 'dml', 'coreml'] as const satisfies readonly Device[];

const fetchLimits = z.strictObject({
  allowPrivateNetworks: z.union([z.boolean(), z.array(z.string())]).optional(),
  allowedHosts: z.array(z.string()).optional(),
  maxBytes: z.number().optional(),
  timeoutMs: z.number().optional(),
});

/** Where models come from and are kept, as config files say it. */
export const hubSchema = z.strictObject({
  endpoint: z.string().optional(),
  token: z.string().optional(),
  cacheFolder: z.string().optional(),
  offline: z.boolean().optional(),
});

const headers = z.record(z.string(), z.string());

const remoteServer = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('openai'),
    baseURL: z.string(),
    apiKey: z.string().optional(),
    headers: headers.optional(),
    dialect: z.enum(apiDialects as [ApiDialect, ...ApiDialect[]]).optional(),
    concurrency: z.number().optional(),
  }),
  z.strictObject({
    kind: z.literal('kserve'),
    url: z.string(),
    model: z.union([z.string(), z.record(z.string(), z.string())]),
    headers: headers.optional(),
    timeoutMs: z.number().optional(),
    startTimeoutMs: z.number().optional(),
  }),
]);

/**
 * The type of every setting of a model. Ranges are none of its business: what starts the models checks them.
 */
export const modelShape = {
  source: z.string().min(1, { error: 'expected the source of a model, got nothing' }),
  category: z.enum(categories as [ModelCategory, ...ModelCategory[]]).optional(),
  remote: remoteServer.optional(),
  dtype: z.enum(['auto', ...storedDtypes]).optional(),
  hub: hubSchema.optional(),
  name: z.string().optional(),
  device: z.enum(devices).optional(),
  threads: z.number().optional(),
  replicas: z.number().optional(),
  maxQueue: z.number().optional(),
  deadlineMs: z.number().optional(),
  contextLength: z.number().optional(),
  maxBatchSize: z.number().optional(),
  toolCallFormat: z.string().optional(),
  reasoningFormat: z.string().optional(),
  head: z.enum(headNames).optional(),
  classNames: z.union([z.string(), z.array(z.string())]).optional(),
  imageFetch: fetchLimits.optional(),
  pooling: z.enum(['cls', 'mean', 'last-token']).optional(),
  normalize: z.boolean().optional(),
  matryoshkaDimensions: z.union([z.literal('any'), z.array(z.number())]).optional(),
  maxBatchTokens: z.number().optional(),
  isDistilled: z.boolean().optional(),
  maxPixels: z.number().optional(),
  maxAudioSeconds: z.number().optional(),
  voiceActivity: z.string().optional(),
  phonemizer: z.enum(['built-in', 'espeak']).optional(),
  ffmpegPath: z.string().optional(),
} satisfies Record<keyof ModelOptions, z.ZodType>;

/** All settings of a model; its category may be missing. */
export const modelSchema = z.strictObject(modelShape);
