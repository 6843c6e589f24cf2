import type { ModelSpec } from '../contracts/model.ts';
import { deviceNumber } from '../core/device.ts';

/** A model as its worker process gets it, and the variables of that process. */
export interface DevicePlace {
  readonly spec: ModelSpec;
  readonly environment?: Readonly<Record<string, string>>;
}

/** Puts a model on one of several GPUs: its worker process sees that GPU alone, as the first. */
export function placeOnDevice(
  spec: ModelSpec,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): DevicePlace {
  const number = deviceNumber(spec.device);
  if (number === undefined) return { spec };
  const visible = environment['CUDA_VISIBLE_DEVICES']?.split(',').map((id) => id.trim());
  // A number that this process doesn't see stays unseen, so that loading fails.
  const id = visible === undefined ? String(number) : (visible[number] ?? '');
  return {
    spec: { ...spec, device: 'cuda' },
    environment: { CUDA_DEVICE_ORDER: 'PCI_BUS_ID', CUDA_VISIBLE_DEVICES: id },
  };
}
