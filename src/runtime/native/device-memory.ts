import { Handle } from './handle.ts';
import type { Api } from './load-api.ts';
import { isPluginDevice } from './plugins.ts';

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
