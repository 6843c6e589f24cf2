import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { InferenceError } from '../../errors.ts';

/** Where models come from and are kept; plain data. */
export interface HubOptions {
  /** Address of the hub; default `HF_ENDPOINT`, else `https://huggingface.co`. */
  readonly endpoint?: string | undefined;
  /** Sent to the endpoint's own origin and to no other; default `HF_TOKEN`. */
  readonly token?: string | undefined;
  /** Folder of downloaded models; default `SLASHV1_CACHE`, else `slashv1` in the user's folder of caches. */
  readonly cacheFolder?: string | undefined;
  /** Whether only what is in the cache may be used; default `SLASHV1_OFFLINE` or `HF_HUB_OFFLINE`, else false. */
  readonly offline?: boolean | undefined;
}

export interface HubSettings {
  /** Without a slash at its end. */
  readonly endpoint: string;
  readonly token: string | undefined;
  /** Absolute. */
  readonly cacheFolder: string;
  readonly offline: boolean;
}

type Environment = Readonly<Record<string, string | undefined>>;

const defaultEndpoint = 'https://huggingface.co';

/**
 * Fills in what the options leave open.
 *
 * @throws InferenceError `invalid_request` for an endpoint that is no http or https URL, or a token of odd characters
 */
export function resolveHubSettings(
  options: HubOptions = {},
  environment: Environment = process.env,
): HubSettings {
  const endpoint = options.endpoint ?? (environment['HF_ENDPOINT'] || defaultEndpoint);
  if (!/^https?:$/.test(URL.canParse(endpoint) ? new URL(endpoint).protocol : '')) {
    throw new InferenceError(
      'invalid_request',
      `hub.endpoint: expected an http or https URL, got ${JSON.stringify(endpoint)}`,
      { param: 'hub.endpoint' },
    );
  }
  const token = options.token ?? (environment['HF_TOKEN']?.trim() || undefined);
  // Checked here, because the errors of fetch would show it.
  if (token !== undefined && !/^[!-~]+$/.test(token)) {
    throw new InferenceError('invalid_request', 'hub.token: expected printable ASCII characters', {
      param: 'hub.token',
    });
  }
  return {
    endpoint: endpoint.replace(/\/+$/, ''),
    token,
    cacheFolder: resolve(
      options.cacheFolder ?? (environment['SLASHV1_CACHE'] || defaultCacheFolder(environment)),
    ),
    offline:
      options.offline ?? (isSet(environment['SLASHV1_OFFLINE']) || isSet(environment['HF_HUB_OFFLINE'])),
  };
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && /^(?:1|on|yes|true)$/i.test(value.trim());
}

function defaultCacheFolder(environment: Environment): string {
  return join(cachesOf(environment), 'slashv1');
}

/** @see https://specifications.freedesktop.org/basedir-spec/latest/ */
function cachesOf(environment: Environment): string {
  if (environment['XDG_CACHE_HOME']) return environment['XDG_CACHE_HOME'];
  if (process.platform === 'win32' && environment['LOCALAPPDATA']) return environment['LOCALAPPDATA'];
  return process.platform === 'darwin' ? join(homedir(), 'Library', 'Caches') : join(homedir(), '.cache');
}
