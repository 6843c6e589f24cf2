import { basename } from 'node:path';
import { z } from 'zod';
import { headNames } from '../core/vision/heads/head.ts';
import type { ApiDialect, Device, ModelOptions } from '../index.ts';
import { storedDtypes } from '../models/graph-files.ts';
import { modelFiles, type ModelCategory } from '../models/model-files.ts';
import { apiDialects } from '../pipelines/remote/dialects.ts';
import { didYouMean } from './suggest.ts';
import { UsageError } from './usage-error.ts';

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
  }),
]);

/**
 * The type of every setting of a model. Ranges are none of its business: what starts the models checks them.
 */
const modelShape = {
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

export const modelSchema = z.strictObject(modelShape);

/** A model as flags and config files describe it: its category may be left to its files. */
export type ModelSettings = Omit<ModelOptions, 'category'> & {
  readonly category?: ModelCategory | undefined;
};

/** A model of the command line. */
export interface NamedModel {
  readonly id: string;
  /** Not checked yet. */
  readonly settings: Readonly<Record<string, unknown>>;
}

/**
 * Reads `id=source,dtype=q4,…`; without `id=`, the last part of the source is the id.
 *
 * @param label of the option, for messages
 * @throws UsageError
 */
export function parseModelOption(label: string, text: string): NamedModel {
  const [head, ...rest] = text.split(',');
  const [, id, source] = /^(?:(\w[\w.:-]*(?:\/[\w.:-]+)?)=)?(.*)$/s.exec(head!)!;
  if (source === '') {
    throw new UsageError(`${label}: expected id=source or a source, got ${JSON.stringify(text)}`);
  }
  const settings: Record<string, unknown> = { source };
  for (const part of rest) {
    const [, name, value] = /^([^=]+)=(.+)$/s.exec(part) ?? [];
    if (name === undefined || value === undefined) {
      throw new UsageError(
        `${label}: expected setting=value behind the comma, got ${JSON.stringify(part)}; a source with a comma goes into a config file`,
      );
    }
    if (!Object.hasOwn(modelShape, name)) {
      throw new UsageError(
        `${label}: a model has no setting ${name}.${didYouMean(name, Object.keys(modelShape))}`,
      );
    }
    if (Object.hasOwn(settings, name)) throw new UsageError(`${label}: expected ${name} once`);
    settings[name] = readScalar(name as keyof typeof modelShape, value);
  }
  return { id: id ?? idOf(source!), settings };
}

/** Texts stay texts where the setting is one, so that a model may be called 7. */
function readScalar(name: keyof typeof modelShape, text: string): unknown {
  const schema: z.ZodType = modelShape[name];
  const { type } = (schema instanceof z.ZodOptional ? (schema.unwrap() as z.ZodType) : schema).def;
  if (type === 'number' && text.trim() !== '' && Number.isFinite(Number(text))) return Number(text);
  if (type === 'boolean' && /^(?:true|false)$/.test(text)) return text === 'true';
  return text;
}

/** `org/name@revision` keeps its organisation, as clients know it; of a folder or an address the last part is enough. */
function idOf(source: string): string {
  const isPath = /^(?:https?:\/\/|[./~\\]|[A-Za-z]:)/.test(source);
  if (!isPath) return source.replace(/@.*$/s, '');
  const parts = source.replace(/[/\\]+$/, '').split('/');
  return basename(parts.at(-1)!) || source;
}
