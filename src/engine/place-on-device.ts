import type { ModelSpec } from '../contracts/model.ts';
import { deviceNumber } from '../core/device.ts';

/** Assigns a model to one of several GPUs: the environment of its worker exposes only that GPU, as the first. */
export function placeOnDevice(
  spec: ModelSpec,
  environment: Readonly<Record<string, string | undefined>> = process.env,
) {
  const number = deviceNumber(spec.device);
  if (number === undefined) return { spec, environment: undefined };
  const visible = environment['CUDA_VISIBLE_DEVICES']?.split(',').map((id) => id.trim());
  // A number that isn't visible to this process stays invisible, so that loading fails.
  const id = visible === undefined ? String(number) : (visible[number] ?? '');
  return {
    spec: { ...spec, device: 'cuda' } as ModelSpec,
    environment: { CUDA_DEVICE_ORDER: 'PCI_BUS_ID', CUDA_VISIBLE_DEVICES: id },
  };
}
