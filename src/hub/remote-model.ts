import type { HubOptions } from '../contracts/model.ts';
import { quote, describeValue } from '../core/text/quote.ts';
import { ggufFiles } from '../folder/gguf/gguf-source.ts';
import { parseSource } from '../folder/source.ts';
import { RepositoryCache } from './model-cache.ts';
import { defaultRetryPolicy, type RetryPolicy } from './retry.ts';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { fieldError } from '../errors.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const defaultEndpoint = 'https://huggingface.co';

/** Fills in defaults. */
export function resolveHubSettings(options: HubOptions = {}, environment: Environment = process.env) {
  const endpoint = options.endpoint ?? (environment['HF_ENDPOINT'] || defaultEndpoint);
  if (!/^https?:$/.test(URL.canParse(endpoint) ? new URL(endpoint).protocol : ''))
    throw fieldError('hub.endpoint', `expected an http or https URL, got ${describeValue(endpoint)}`);
  const token = options.token ?? (environment['HF_TOKEN']?.trim() || undefined);
  // Checked here, because the errors of fetch would reveal it.
  if (token !== undefined && !/^[!-~]+$/.test(token))
    throw fieldError('hub.token', 'expected printable ASCII characters');
  return {
    /** Without a trailing slash. */
    endpoint: endpoint.replace(/\/+$/, ''),
    token,
    /** Absolute. */
    cacheFolder: resolve(
      options.cacheFolder ?? (environment['SLASHV1_CACHE'] || sharedCacheFolder(environment)),
    ),
    offline:
      options.offline ?? (isSet(environment['SLASHV1_OFFLINE']) || isSet(environment['HF_HUB_OFFLINE'])),
  };
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && /^(?:1|on|yes|true)$/i.test(value.trim());
}

/** @see https://huggingface.co/docs/huggingface_hub/package_reference/environment_variables */
function sharedCacheFolder(environment: Environment): string {
  const caches = environment['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  const home = environment['HF_HOME'] || join(caches, 'huggingface');
  const folder = environment['HF_HUB_CACHE'] || environment['HUGGINGFACE_HUB_CACHE'] || join(home, 'hub');
  const expanded = folder.replace(/^~(?=[\\/]|$)/, homedir());
  return expanded.replaceAll(/\$(?:(\w+)|\{(\w+)\})/g, (text, plain: string, braced: string) => {
    return environment[plain ?? braced] ?? text;
  });
}

/** How to find and request a model on the network. */
export interface RemoteOptions {
  readonly hub?: HubOptions | undefined;
  /** The user's choice; rejected if the catalogue contradicts it. */
  readonly category?: string | undefined;
  readonly retry?: Partial<RetryPolicy> | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Receives warnings for operators, for example that the cache serves the model because the hub is unreachable. */
  readonly onWarning?: ((message: string) => void) | undefined;
}

/** A remote model, and its location in the cache. */
export type RemoteModel = Readonly<NonNullable<ReturnType<typeof findRemote>>>;

/** Resolves a source; `undefined` for a local model. */
export function findRemote(given: string, { hub, category, retry, signal, onWarning }: RemoteOptions = {}) {
  const source = parseSource(given, category);
  if (source.kind === 'local') return undefined;
  const isHub = source.kind === 'hub';
  const path = isHub ? source.file : undefined;
  const settings = resolveHubSettings(hub);
  const { endpoint, token, cacheFolder } = settings;
  /** Id of the repository, or URL of the folder. */
  const name = isHub ? source.id : source.base;
  return {
    /** As in the settings. */
    given,
    source,
    name,
    settings,
    cache: new RepositoryCache(cacheFolder, name),
    /** The dtype recommended by the catalogue. */
    dtype: isHub ? source.dtype : undefined,
    /** The single required file with its parts; default: the files of its category. */
    single: path === undefined ? undefined : { ...ggufFiles(path), path },
    policy: { ...defaultRetryPolicy, ...retry },
    signal,
    onWarning,
    host: new URL(isHub ? endpoint : name).host,
    tokenOrigin: new URL(endpoint).origin,
    token,
    label: quote(name),
    page: isHub ? `${endpoint}/${name}` : undefined,
  };
}
