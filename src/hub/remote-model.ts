import type { Dtype, ModelFiles } from '../contracts/files.ts';
import type { HubOptions } from '../contracts/model.ts';
import { quote } from '../core/text/quote.ts';
import { ggufFiles } from '../folder/gguf/gguf-source.ts';
import { parseSource, type RemoteSource } from '../folder/source.ts';
import type { Remote } from './http.ts';
import { RepositoryCache } from './model-cache.ts';
import { defaultRetryPolicy, type RetryPolicy } from './retry.ts';
import { resolveHubSettings, type HubSettings } from './settings.ts';

interface Terms {
  readonly hub?: HubOptions | undefined;
  /** One that the catalogue contradicts is refused. */
  readonly category?: string | undefined;
  readonly retry?: Partial<RetryPolicy> | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Told when the server can't be reached and the cache answers in its place. */
  readonly onWarning?: ((message: string) => void) | undefined;
}

/** A model that isn't on this disk, and its place in the cache. */
export interface RemoteModel extends Remote, Pick<Terms, 'onWarning'> {
  /** As the settings spell it. */
  readonly given: string;
  readonly source: RemoteSource;
  /** Id of the repository, or address of the folder. */
  readonly name: string;
  readonly settings: HubSettings;
  readonly cache: RepositoryCache;
  /** The dtype that the catalogue advises. */
  readonly dtype: Dtype | undefined;
  /** The one file that is wanted, with its parts; default: those of its category. */
  readonly single: (ModelFiles & { readonly path: string }) | undefined;
}

/** Finds out what a source means; `undefined` for a model that isn't remote. */
export function findRemote(
  given: string,
  { hub, category, retry, signal, onWarning }: Terms = {},
): RemoteModel | undefined {
  const source = parseSource(given, category);
  if (source.kind === 'local') return undefined;
  const isHub = source.kind === 'hub';
  const path = isHub ? source.file : undefined;
  const settings = resolveHubSettings(hub);
  const { endpoint, token, cacheFolder } = settings;
  const name = isHub ? source.id : source.base;
  return {
    given,
    source,
    name,
    settings,
    cache: new RepositoryCache(cacheFolder, name),
    dtype: isHub ? source.dtype : undefined,
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
