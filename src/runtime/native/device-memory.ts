import { Handle } from './handle.ts';
import type { Api } from './load-api.ts';
import { isPluginDevice } from './plugins.ts';

/** Names of memory by device, as the runtime's allocators know them. */
const memoryNames: Readonly<Record<string, string>> = { cuda: 'Cuda', webgpu: 'WebGPU_Buffer' };

/** Whether tensors can stay in the memory of a device other than the CPU. */
export function holdsTensors(device: string | undefined): boolean {
  // Memory of plugins isn't tried.
  return device !== undefined && device in memoryNames && !isPluginDevice(device);
}

/** The memory of the device on which a session computes; nothing is made before it is used. */
export class DeviceMemory {
  readonly #api: Api;
  readonly #session: () => bigint;
  readonly #device: string;
  #info: Handle | undefined;
  #allocator: Handle | undefined;

  constructor(api: Api, { session, device }: { session: () => bigint; device: string }) {
    this.#api = api;
    this.#session = session;
    this.#device = device;
  }

  /** `OrtMemoryInfo *` */
  get info(): bigint {
    if (this.#device === 'cpu') return this.#api.cpuMemory;
    if (!this.#info) {
      const name = memoryNames[this.#device];
      if (name === undefined) throw new Error(`device: tensors can't stay on ${this.#device}`);
      const info = this.#api.create('CreateMemoryInfo', name, 0, 0, 0);
      this.#info = new Handle(this.#api, 'memory information', info, 'ReleaseMemoryInfo');
    }
    return this.#info.address;
  }

  /** `OrtAllocator *` */
  get allocator(): bigint {
    if (!this.#allocator) {
      const allocator = this.#api.create('CreateAllocator', this.#session(), this.info);
      this.#allocator = new Handle(this.#api, 'allocator', allocator, 'ReleaseAllocator');
    }
    return this.#allocator.address;
  }

  /** Call it after the tensors of this memory are released, and before the session is. */
  release(): void {
    this.#allocator?.release();
    this.#info?.release();
  }
}
