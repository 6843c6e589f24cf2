import type { HubOptions } from '../index.ts';
import { resolveHubSettings, type HubSettings } from '../hub/settings.ts';
import { type OptionTable, UsageError } from './options.ts';

/** Options of every command that looks for models. */
export const hubOptionTable = {
  offline: { type: 'boolean', description: 'Use only downloaded models; also SLASHV1_OFFLINE=1.' },
  'cache-dir': {
    type: 'string',
    value: '<folder>',
    description: 'Folder of downloaded models; also SLASHV1_CACHE or HF_HUB_CACHE.',
  },
  endpoint: {
    type: 'string',
    value: '<url>',
    description: 'Address of Hugging Face or a mirror; also HF_ENDPOINT.',
  },
} as const satisfies OptionTable;

interface HubValues {
  readonly offline?: boolean | undefined;
  readonly 'cache-dir'?: string | undefined;
  readonly endpoint?: string | undefined;
}

/** The settings by the given options. */
export function toHubOptions(values: HubValues): HubOptions {
  const { offline, 'cache-dir': cacheFolder, endpoint } = values;
  return {
    ...(offline === undefined ? {} : { offline }),
    ...(cacheFolder === undefined ? {} : { cacheFolder }),
    ...(endpoint === undefined ? {} : { endpoint }),
  };
}

/** The settings that the options lead to. */
export function readHubSettings(options: HubOptions): HubSettings {
  try {
    return resolveHubSettings(options);
  } catch (error) {
    const [, name = '', reason] = /^hub\.(\w+): (.*)$/s.exec((error as Error).message)!;
    const label = name in options ? hubOptionNames[`hub.${name}`] : variables[name];
    throw new UsageError(`${label}: ${reason}`, { cause: error });
  }
}

const variables: Readonly<Record<string, string>> = { endpoint: 'HF_ENDPOINT', token: 'HF_TOKEN' };

/** Names of the options of settings, for messages. */
export const hubOptionNames: Readonly<Record<string, string>> = {
  'hub.offline': '--offline',
  'hub.cacheFolder': '--cache-dir',
  'hub.endpoint': '--endpoint',
};
