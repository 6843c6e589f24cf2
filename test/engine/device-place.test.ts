import { expect, it } from 'vitest';
import { placeOnDevice } from '../../src/engine/place-on-device.ts';

it.each([
  [undefined, undefined, undefined, undefined],
  ['cpu', undefined, 'cpu', undefined],
  ['cuda', '4,5', 'cuda', undefined],
  ['cuda:1', undefined, 'cuda', '1'],
  ['cuda:1', '4,5', 'cuda', '5'],
  ['cuda:1', 'GPU-8f1, GPU-9a2', 'cuda', 'GPU-9a2'],
  ['cuda:2', '4,5', 'cuda', ''],
] as const)('%s with the visible GPUs %s runs on %s and sees %s', (device, visible, inWorker, seen) => {
  const { spec, environment } = placeOnDevice(
    { id: 'a', source: 'a', device },
    { CUDA_VISIBLE_DEVICES: visible },
  );
  expect(spec.device).toBe(inWorker);
  expect(environment?.['CUDA_VISIBLE_DEVICES']).toBe(seen);
});
