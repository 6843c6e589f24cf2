import { afterEach, describe, expect, it } from 'vitest';
import { createInference, type Inference } from '../../dist/src/index.js';
import { needs, otherSystem } from '../needs.ts';

let inference: Inference | undefined;
const withoutAdapters = { VK_ICD_FILENAMES: '/nowhere', VK_DRIVER_FILES: '/nowhere' };
const before = { ...process.env };

afterEach(async () => {
  process.env = { ...before };
  await inference?.close({ graceMs: 0 });
});

describe('a device that does not work here is a wrong setting', needs(otherSystem('linux')), () => {
  it.each([
    // Without Vulkan's loader that is the reason; `explain-device.test.ts` has both machines.
    [
      'webgpu',
      'process',
      /Model "m": device: "webgpu" doesn't work here: Failed to (?:get a WebGPU adapter|load libvulkan\.so\.1, the loader of Vulkan's drivers)/,
    ],
    ['cuda', 'process', /Model "m": device: "cuda" doesn't work here: .*Failed to load shared library/],
    ['cuda', 'inline', /Model "m": device: "cuda" doesn't work here: .*Failed to load shared library/],
  ] as const)('%s, isolation: %s', async (device, isolation, message) => {
    Object.assign(process.env, withoutAdapters);
    inference = createInference({ isolation, models: { m: { source: 'tiny-embed', device } } });
    await expect(inference.ready()).rejects.toMatchObject({
      code: 'invalid_request',
      param: 'device',
      message: expect.stringMatching(message),
    });
  });
});
