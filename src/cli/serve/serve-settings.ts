import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { assertDuration } from '../../engine/limits.ts';
import type { HandlerOptions, HubOptions } from '../../index.ts';
import { resolveHubSettings } from '../../hub/remote-model.ts';
import { handlerSettings, resolveOptions } from '../../server/options.ts';
import { checkModel } from '../../loading/settings.ts';
import { assertVoice, isVoiceModel } from '../../realtime/agent/voice.ts';
import { parseModelOption, type ModelSettings } from '../model-settings.ts';
import {
  inOption,
  overlay,
  parseDuration,
  parseInteger,
  type OptionTable,
  type OptionValues,
  type SettingOptions,
  unreadable,
  UsageError,
  check,
  hubOptionTable,
  hubSettingOptions,
  hubVariables,
} from '../options.ts';
import type { Terminal } from '../terminal.ts';
import { extname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { hubSettings } from '../../categories/settings.ts';
import { roomSettings } from '../../inference.ts';
import { healthSettings } from '../../server/health.ts';

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
    // Each is validated with its category.
    models: z.record(
      z.string().min(1),
      z.custom<ModelSettings>((value) => typeof value === 'object' && value !== null),
    ),
    ...handlerSettings,
  })
  .partial();

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
    return unreadable('--config', path)(error as Error);
  }
  throw new UsageError(`--config: ${path} has no default export`);
}

export const serveOptionTable = {
  model: [
    '<id=source>…',
    'A model: a name of the catalogue, org/name on Hugging Face, a folder or an address. id= before it sets the id for clients (default: its name); settings follow after commas: dtype, device, category, threads, replicas … Default: the bundled models.',
    'm',
  ],
  config: [
    '<file>',
    'Settings as JSON, or as the default export of a .js or .mjs file. Options override the file.',
    'c',
  ],
  host: ['<address>', 'Address to listen on; default 127.0.0.1.'],
  port: ['<number>', 'Port to listen on; default 8000; 0 takes a free port.', 'p'],
  key: ['<key>…', 'A key for clients. Default: SLASHV1_API_KEY, or else a new key that is printed.'],
  'keys-file': [
    '<file>',
    'File of keys, one a line; # begins a comment. Unlike options, it is hidden from other users of this machine.',
  ],
  'no-auth': ['', 'Serve all clients without a key.'],
  'cors-origin': [
    '<origin>…',
    'Pages of this origin may use the API from a browser, such as https://app.example; * for all.',
  ],
  'cors-header': [
    '<name>…',
    'A request header that these pages may send; default: every header they ask for.',
  ],
  'cors-max-age': ['<time>', 'How long browsers may cache these permissions; default 2h.'],
  'max-loaded': [
    '<number>',
    'Models in memory at once. The first request loads a model; the least used one is unloaded. Default: all, loaded at the start.',
  ],
  'required-model': [
    '<id>…',
    'A model without which the service neither starts nor is ready by /health; may be repeated. Default: all.',
  ],
  ...hubOptionTable,
  drain: ['<time>', 'How long open requests may continue after Ctrl-C; default 10s.'],
  'drain-delay': [
    '<time>',
    'How long new requests are accepted after Ctrl-C, while /health answers 503; default 0s.',
  ],
  metrics: ['', 'Serve metrics for Prometheus at /metrics, without a key; needs the package prom-client.'],
  'no-playground': ['', 'Leave out the playground at /.'],
  quiet: ['', 'Log no requests.', 'q'],
} as const satisfies OptionTable;

/** Source of the keys; generated keys may be shown. */
export type KeyOrigin = { readonly made: string } | 'environment' | 'given' | 'none';

export type ServeSettings = Awaited<ReturnType<typeof readServeSettings>>;

const defaultPort = '8000';

const readPort = (label: string, text: string): number => parseInteger(label, text, { min: 0, max: 65_535 });

const settingOptions: SettingOptions = {
  host: ['host'],
  port: ['port', readPort],
  'cors-origin': [
    'cors.origins',
    (_label, origins: readonly string[]) => (origins.includes('*') ? '*' : origins),
  ],
  'cors-header': ['cors.headers'],
  'cors-max-age': ['cors.maxAgeSeconds', (label, text: string) => parseDuration(label, text) / 1000],
  'max-loaded': [
    'maxLoadedModels',
    (label, text: string) => parseInteger(label, text, { min: 1, max: 10_000 }),
  ],
  'required-model': ['requiredModels'],
  ...hubSettingOptions,
  drain: ['drainMs', parseDuration],
  'drain-delay': ['drainDelayMs', parseDuration],
  metrics: ['metrics'],
  'no-playground': ['playground', () => false],
};

/**
 * Combines options, config file and environment, in this order, and validates everything that can be checked before
 * loading a model.
 */
export async function readServeSettings(
  values: OptionValues<typeof serveOptionTable>,
  { environment }: Terminal,
) {
  const config: Config = values.config === undefined ? {} : await readConfigFile(values.config);
  const { settings: given, names } = overlay(config, settingOptions, values);
  const { cors, hub } = given;
  for (const [path, variable] of Object.entries(hubVariables))
    if (hub?.[path.slice('hub.'.length) as keyof HubOptions] === undefined) names.set(path, variable);
  const models = readModels(values, given, names);
  if (values.key) names.set('auth', '--key');
  else if (values['keys-file'] !== undefined) names.set('auth', '--keys-file');
  const { auth, keyOrigin } = await readKeys(values, config, environment);
  if (cors && !cors.origins)
    throw new UsageError('--cors-origin: expected it beside the other options of CORS');
  const settings = {
    ...given,
    host: given.host ?? (environment['HOST'] || '127.0.0.1'),
    port: given.port ?? readPort('PORT', environment['PORT'] || defaultPort),
    drainDelayMs: given.drainDelayMs ?? 0,
    /** Default: the bundled ones. */
    models,
    handler: { ...handlerOptionsIn(given), auth },
    keyOrigin,
    wanted: { playground: given.playground !== false, metrics: given.metrics === true },
    isQuiet: values.quiet === true,
  };
  checkRanges(settings, (path) => nameOf(path, { names, file: values.config }));
  return settings;
}

function handlerOptionsIn(config: Config): Partial<HandlerOptions> {
  return Object.fromEntries(Object.entries(config).filter(([name]) => name in handlerSettings));
}

/** Where a setting was given: an option, or a path in the config file. */
function nameOf(
  path: string,
  { names, file }: { names: ReadonlyMap<string, string>; file: string | undefined },
): string {
  for (const [prefix, option] of names) {
    if (path === prefix) return option;
    if (path.startsWith(`${prefix}.`)) return `${option}: ${path.slice(prefix.length + 1)}`;
  }
  return file === undefined ? path : `${file}: ${path}`;
}

function readModels(
  values: OptionValues<typeof serveOptionTable>,
  { models: configured = {}, hub }: Config,
  names: Map<string, string>,
): Readonly<Record<string, ModelSettings>> {
  const models = new Map<string, ModelSettings>();
  const add = (id: string, settings: ModelSettings): void => {
    const own = isVoiceModel(settings) ? {} : { ...hub, ...settings.hub };
    models.set(id, Object.keys(own).length > 0 ? { ...settings, hub: own } : settings);
  };
  for (const [id, settings] of Object.entries(configured)) add(id, settings);
  const given = new Set<string>();
  for (const text of values.model ?? []) {
    const label = `--model ${text}`;
    const { id, settings } = parseModelOption(label, text);
    if (given.has(id)) throw new UsageError(`${label}: expected every id once, got ${id} again`);
    given.add(id);
    names.set(`models.${id}`, label);
    add(id, settings as unknown as ModelSettings);
  }
  return Object.fromEntries(models);
}

async function readKeys(
  values: OptionValues<typeof serveOptionTable>,
  { auth: configured }: Config,
  environment: Terminal['environment'],
): Promise<{ readonly auth: HandlerOptions['auth']; readonly keyOrigin: KeyOrigin }> {
  const { key = [], 'keys-file': file, 'no-auth': isOpen } = values;
  const keys = [...key, ...(file === undefined ? [] : await readKeysFile(file))];
  if (isOpen && (key.length > 0 || file !== undefined))
    throw new UsageError('--no-auth: expected no keys beside it');
  if (isOpen) return { auth: 'none', keyOrigin: 'none' };
  if (keys.length > 0) return { auth: { keys }, keyOrigin: 'given' };
  if (configured) return { auth: configured, keyOrigin: configured === 'none' ? 'none' : 'given' };
  const own = environment['SLASHV1_API_KEY'];
  if (own) return { auth: { keys: [own] }, keyOrigin: 'environment' };
  const made = `sk-${randomBytes(16).toString('hex')}`;
  return { auth: { keys: [made] }, keyOrigin: { made } };
}

async function readKeysFile(path: string): Promise<readonly string[]> {
  const text = await readFile(path, 'utf8').catch(unreadable('--keys-file', path));
  const keys = text
    .split(/\r?\n/)
    .map((line) => line.replace(/(?:^|\s)#.*$/, '').trim())
    .filter((line) => line !== '');
  if (keys.length === 0)
    throw new UsageError(`--keys-file: expected a key on a line of its own, found none in ${path}`);
  return keys;
}

/** Validates ranges with their owners. */
function checkRanges(
  { models, hub, handler, drainMs, drainDelayMs }: ServeSettings,
  nameOfPath: (path: string) => string,
): void {
  const attempt = (checkRange: () => unknown): unknown => inOption(nameOfPath, checkRange);
  attempt(() => resolveOptions(handler));
  if (drainMs !== undefined) attempt(() => assertDuration('drainMs', drainMs));
  attempt(() => assertDuration('drainDelayMs', drainDelayMs));
  attempt(() => resolveHubSettings(hub));
  for (const [id, settings] of Object.entries(models)) {
    const path = `models.${id}`;
    attempt(() => (isVoiceModel(settings) ? assertVoice(path, settings) : checkModel(path, settings)));
  }
}
