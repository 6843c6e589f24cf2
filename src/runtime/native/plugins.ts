import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { quote } from '../../core/text/quote.ts';
import { fieldError, messageOf } from '../../errors.ts';
import { withAdvice } from '../explain-device.ts';
import { loadApi, type Api } from './load-api.ts';

export interface Plugin {
  readonly library: string;
  /** Name of the provider and its devices: `openvino`. */
  readonly provider: string;
  readonly options?: Readonly<Record<string, string>> | undefined;
}

interface Registered {
  readonly plugin: Plugin;
  readonly devices: ReturnType<typeof listDevices>;
}

const registered = new Map<string, Registered>();
/** Providers with loaded libraries, possibly without a device on this machine. */
const loaded = new Set<string>();
const hardware = ['cpu', 'gpu', 'npu'];

/**
 * Registers plugins with the runtime of this process, each once and permanently: unloading a library before its last
 * session crashes the process.
 */
export async function registerPlugins(plugins: readonly Plugin[], path = 'backend.plugins'): Promise<void> {
  const api = await loadApi();
  for (const [index, plugin] of plugins.entries()) registerPlugin(api, plugin, `${path}[${index}]`);
}

function registerPlugin(api: Api, { library, ...settings }: Plugin, path: string): void {
  const plugin = { library: resolve(library), ...settings };
  const before = registered.get(plugin.provider);
  if (before) {
    if (JSON.stringify(before.plugin) === JSON.stringify(plugin)) return;
    const reason = `this process has ${quote(plugin.provider)} with other settings; with isolation: "process" each model has its own`;
    throw fieldError(path, reason);
  }
  if (!existsSync(plugin.library)) {
    const reason = `expected a library with a provider, ${quote(library)} doesn't exist`;
    throw fieldError(`${path}.library`, reason);
  }
  if (!loaded.has(plugin.provider)) load(api, plugin, path);
  const all = listDevices(api);
  const devices = all.filter(({ provider }) => provider === plugin.provider);
  if (devices.length === 0) {
    const names = [...new Set(all.map(({ provider }) => quote(provider)))].join(', ');
    const reason = `expected a provider with a device on this machine, which are ${names}, got ${quote(plugin.provider)}`;
    throw fieldError(`${path}.provider`, withAdvice(plugin.provider, reason, api));
  }
  registered.set(plugin.provider, { plugin, devices });
}

function load(api: Api, { provider, library }: Plugin, path: string): void {
  try {
    // Some libraries use the registration's name as their provider's name.
    api.call('RegisterExecutionProviderLibrary', api.environment, provider, library);
  } catch (error) {
    const message = messageOf(error);
    // A different thread of this process shares the environment.
    if (/already registered/i.test(message)) return;
    throw fieldError(`${path}.library`, withAdvice('plugin', message, api), { cause: error });
  }
  loaded.add(provider);
}

/** Lists the devices of all providers, including plugins. */
export function listDevices(api: Api) {
  const [list, count] = [new BigUint64Array(1), new BigUint64Array(1)];
  api.call('GetEpDevices', api.environment, list, count);
  return api.readPointers(list[0]!, Number(count[0])).map((address) => {
    const device = api.ask('EpDevice_Device', address) as bigint;
    const name = api.ask('EpDevice_EpName', address) as string;
    return {
      /** `OrtEpDevice *`, for the lifetime of the process. */
      address,
      /** `openvino` of `OpenVINOExecutionProvider` */
      provider: name.replace(/ExecutionProvider$/, '').toLowerCase(),
      hardware: hardware[api.ask('HardwareDevice_Type', device) as number] ?? 'unknown hardware',
      vendor: api.ask('HardwareDevice_Vendor', device) as string,
    };
  });
}

/** The plugin of a device: `openvino`, or `openvino:1` for the second one. */
function findPlugin(device: string): { found: Registered; number: number } | undefined {
  const [name = '', number = '0'] = device.split(':');
  const found = registered.get(name);
  return found && { found, number: Number(number) };
}

export function isPluginDevice(device: string): boolean {
  return findPlugin(device) !== undefined;
}

/** Makes a session compute on a plugin's device. */
export function appendPlugin(
  api: Api,
  options: bigint,
  device: string,
  defaults: Plugin['options'] = {},
): void {
  const { found, number } = findPlugin(device)!;
  const chosen = found.devices[number];
  if (!chosen) {
    const { length } = found.devices;
    const { provider } = found.plugin;
    const names =
      length === 1
        ? `1 device, ${provider}:0`
        : `${length} devices, ${provider}:0 to ${provider}:${length - 1}`;
    throw new Error(`it has ${names}`);
  }
  const given = Object.entries({ ...defaults, ...found.plugin.options });
  api.call(
    'SessionOptionsAppendExecutionProvider_V2',
    options,
    api.environment,
    BigUint64Array.of(chosen.address),
    1,
    given.map(([key]) => key),
    given.map(([, value]) => value),
    given.length,
  );
}
