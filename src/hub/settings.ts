import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { HubOptions } from '../contracts/model.ts';
import { fieldError } from '../errors.ts';
import { describeValue } from '../core/text/quote.ts';

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
