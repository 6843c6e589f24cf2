import type { Api } from './load-api.ts';
import { appendPlugin, isPluginDevice } from './plugins.ts';
import { Handle } from './handle.ts';

/** Devices that the runtime's library takes by name, without settings. */
const providerNames: Readonly<Record<string, string>> = { webgpu: 'WebGPU', coreml: 'CoreML' };

/** Whether the native runtime supports a device at all; only a session shows whether it works here. */
export function knowsDevice(device: string): boolean {
  return device === 'cpu' || device === 'cuda' || device in providerNames || isPluginDevice(device);
}

export function appendDevice(
  api: Api,
  options: bigint,
  device: string,
  providerOptions?: Readonly<Record<string, string>>,
): void {
  if (device === 'cpu') return;
  if (isPluginDevice(device)) return appendPlugin(api, options, device, providerOptions);
  if (device !== 'cuda') {
    const name = providerNames[device];
    if (name === undefined) throw new Error(`the native runtime has no ${device}`);
    return api.call('SessionOptionsAppendExecutionProvider', options, name, null, null, 0);
  }
  const settings = api.create('CreateCUDAProviderOptions');
  try {
    api.call('SessionOptionsAppendExecutionProvider_CUDA_V2', options, settings);
  } finally {
    api.call('ReleaseCUDAProviderOptions', settings);
  }
}

/** The runtime's allocator names by device. */
const memoryNames: Readonly<Record<string, string>> = { cuda: 'Cuda', webgpu: 'WebGPU_Buffer' };

/** Whether tensors can stay in the memory of a device other than the CPU. */
export function holdsTensors(device: string | undefined): boolean {
  // Memory of plugins is untested.
  return device !== undefined && device in memoryNames && !isPluginDevice(device);
}

/** Creates the `OrtMemoryInfo` of a device other than the CPU. */
export function openMemory(api: Api, device: string): Handle {
  const name = memoryNames[device];
  if (name === undefined) throw new Error(`device: tensors can't stay on ${device}`);
  const info = api.create('CreateMemoryInfo', name, 0, 0, 0);
  return new Handle(api, 'memory information', info, 'ReleaseMemoryInfo');
}
