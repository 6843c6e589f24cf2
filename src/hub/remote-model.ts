import type { HubOptions } from '../contracts/model.ts';
import { quote } from '../core/text/quote.ts';
import { ggufFiles } from '../folder/gguf/gguf-source.ts';
import { parseSource } from '../folder/source.ts';
import { RepositoryCache } from './model-cache.ts';
import { defaultRetryPolicy, type RetryPolicy } from './retry.ts';
import { resolveHubSettings } from './settings.ts';

/** How a model on the network is found and asked for. */
export interface RemoteOptions {
  readonly hub?: HubOptions | undefined;
  /** The user's choice; one that the catalogue contradicts is refused. */
  readonly category?: string | undefined;
  readonly retry?: Partial<RetryPolicy> | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Told what an operator should know and what stops nothing, as that the cache answers in place of the hub. */
  readonly onWarning?: ((message: string) => void) | undefined;
}

/** A model that isn't on this disk, and its place in the cache. */
export type RemoteModel = Readonly<NonNullable<ReturnType<typeof findRemote>>>;

/** Finds out what a source means; `undefined` for a model that isn't remote. */
export function findRemote(given: string, { hub, category, retry, signal, onWarning }: RemoteOptions = {}) {
  const source = parseSource(given, category);
  if (source.kind === 'local') return undefined;
  const isHub = source.kind === 'hub';
  const path = isHub ? source.file : undefined;
  const settings = resolveHubSettings(hub);
  const { endpoint, token, cacheFolder } = settings;
  /** Id of the repository, or address of the folder. */
  const name = isHub ? source.id : source.base;
  return {
    /** As the settings spell it. */
    given,
    source,
    name,
    settings,
    cache: new RepositoryCache(cacheFolder, name),
    /** The dtype that the catalogue advises. */
    dtype: isHub ? source.dtype : undefined,
    /** The one file that is wanted, with its parts; default: those of its category. */
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
