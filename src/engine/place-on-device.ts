import type { ModelSpec } from '../contracts/model.ts';
import { deviceNumber } from '../core/device.ts';

/** Puts a model on one of several GPUs: the variables of its worker process show it that GPU alone, as the first. */
export function placeOnDevice(
  spec: ModelSpec,
  environment: Readonly<Record<string, string | undefined>> = process.env,
) {
  const number = deviceNumber(spec.device);
  if (number === undefined) return { spec, environment: undefined };
  const visible = environment['CUDA_VISIBLE_DEVICES']?.split(',').map((id) => id.trim());
  // A number that this process doesn't see stays unseen, so that loading fails.
  const id = visible === undefined ? String(number) : (visible[number] ?? '');
  return {
    spec: { ...spec, device: 'cuda' } as ModelSpec,
    environment: { CUDA_DEVICE_ORDER: 'PCI_BUS_ID', CUDA_VISIBLE_DEVICES: id },
  };
}
