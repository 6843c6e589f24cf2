import { quote } from '../core/text/quote.ts';
import type { RemoteSource } from '../folder/source.ts';
import type { Remote } from './http.ts';
import { openRepositoryCache } from './model-cache.ts';
import type { HubSettings } from './settings.ts';

/** A model that isn't on this disk, and its place in the cache. */
export type RemoteModel = Readonly<ReturnType<typeof toRemoteModel>>;

interface Terms extends Pick<Remote, 'policy' | 'signal'> {
  /** Told when the server can't be reached and the cache answers in its place. */
  readonly onWarning: ((message: string) => void) | undefined;
}

export function toRemoteModel(source: RemoteSource, settings: HubSettings, terms: Terms) {
  const { endpoint, token, cacheFolder } = settings;
  const name = source.kind === 'hub' ? source.id : source.base;
  return {
    ...terms,
    source,
    /** Id of the repository, or address of the folder. */
    name,
    settings,
    cache: openRepositoryCache(cacheFolder, name),
    host: new URL(source.kind === 'hub' ? endpoint : name).host,
    tokenOrigin: new URL(endpoint).origin,
    token,
    label: quote(name),
    page: source.kind === 'hub' ? `${endpoint}/${name}` : undefined,
  };
}
