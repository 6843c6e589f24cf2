import type { HubOptions } from '../index.ts';
import { orThrow } from '../errors.ts';
import { resolveHubSettings, type HubSettings } from '../hub/settings.ts';
import { type OptionTable, UsageError } from './options.ts';

/** Options of every command that looks for models. */
export const hubOptionTable = {
  offline: ['', 'Use only downloaded models; also SLASHV1_OFFLINE=1.'],
  'cache-dir': ['<folder>', 'Folder of downloaded models; also SLASHV1_CACHE or HF_HUB_CACHE.'],
  endpoint: ['<url>', 'Address of Hugging Face or a mirror; also HF_ENDPOINT.'],
} as const satisfies OptionTable;

interface HubValues {
  readonly offline?: boolean | undefined;
  readonly 'cache-dir'?: string | undefined;
  readonly endpoint?: string | undefined;
}

/** The settings by the given options. */
export function toHubOptions(values: HubValues): HubOptions {
  const { offline, 'cache-dir': cacheFolder, endpoint } = values;
  const given = Object.entries({ offline, cacheFolder, endpoint });
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

/** The settings that the options lead to. */
export function readHubSettings(options: HubOptions): HubSettings {
  return orThrow(
    () => resolveHubSettings(options),
    (cause) => {
      const [, name = '', reason] = /^hub\.(\w+): (.*)$/s.exec(cause.message)!;
      const label = name in options ? hubOptionNames[`hub.${name}`] : variables[name];
      return new UsageError(`${label}: ${reason}`, { cause });
    },
  );
}

const variables: Readonly<Record<string, string>> = { endpoint: 'HF_ENDPOINT', token: 'HF_TOKEN' };

/** Names of the options of settings, for messages. */
export const hubOptionNames: Readonly<Record<string, string>> = {
  'hub.offline': '--offline',
  'hub.cacheFolder': '--cache-dir',
  'hub.endpoint': '--endpoint',
};
