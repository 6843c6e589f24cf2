import type { HubOptions } from '../contracts/model.ts';
import { quote } from '../core/text/quote.ts';
import { ggufFiles } from '../folder/gguf/gguf-source.ts';
import { parseSource } from '../folder/source.ts';
import { RepositoryCache } from './model-cache.ts';
import { defaultRetryPolicy, type RetryPolicy } from './retry.ts';
import { resolveHubSettings } from './settings.ts';

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
