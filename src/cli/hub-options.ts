import type { HubOptions } from '../index.ts';
import { resolveHubSettings } from '../hub/settings.ts';
import { inOption, overlay, type OptionTable, type OptionValues } from './options.ts';

/** Options of every command that finds models. */
export const hubOptionTable = {
  offline: ['', 'Use only downloaded models; also SLASHV1_OFFLINE=1.'],
  'cache-dir': ['<folder>', 'Folder of downloaded models; also SLASHV1_CACHE or HF_HUB_CACHE.'],
  endpoint: ['<url>', 'Address of Hugging Face or a mirror; also HF_ENDPOINT.'],
} as const satisfies OptionTable;

export const hubSettingOptions = {
  offline: ['hub.offline'],
  'cache-dir': ['hub.cacheFolder'],
  endpoint: ['hub.endpoint'],
} as const;

/** Variables of settings without an option, for messages. */
export const hubVariables: Readonly<Record<string, string>> = {
  'hub.endpoint': 'HF_ENDPOINT',
  'hub.token': 'HF_TOKEN',
};

export type HubValues = OptionValues<typeof hubOptionTable>;

/** The settings of the given options, `undefined` without any, and the resolved settings. */
export function readHubOptions(values: HubValues) {
  const { settings, names } = overlay<{ hub?: HubOptions }>({}, hubSettingOptions, values);
  const resolved = inOption(
    (path) => names.get(path) ?? hubVariables[path]!,
    () => resolveHubSettings(settings.hub),
  );
  return { hub: settings.hub, cacheFolder: resolved.cacheFolder };
}
