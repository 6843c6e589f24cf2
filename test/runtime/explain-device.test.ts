import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { explainDevice, type DeviceContext } from '../../src/runtime/explain-device.ts';
import { needs, otherSystem } from '../needs.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'slashv1-explain-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function put(path: string): string {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), '');
  return join(folder, path);
}

const bare: DeviceContext = { platform: 'linux', environment: {} };

describe('explainDevice', () => {
  it.each<[string, string, Partial<DeviceContext>, RegExp]>([
    ['dml', 'backend not found', {}, /^choose webgpu or cpu: DirectML/],
    ['dml', 'the native runtime has no dml', { platform: 'win32' }, /^leave library out/],
    ['coreml', 'not supported', {}, /^choose webgpu or cpu: Core ML/],
    ['cuda', 'not supported', { platform: 'darwin' }, /^choose coreml, webgpu or cpu/],
    [
      'cuda',
      'CUDA failure 100: no CUDA-capable device is detected',
      {},
      /^install NVIDIA's driver; .* --gpus all$/,
    ],
    ['cuda', 'CUDA failure 35: CUDA driver version is insufficient', {}, /^update NVIDIA's driver/],
    ['webgpu', 'WebGPU execution provider is not supported in this build', {}, /^leave library out/],
    ['webgpu', 'Failed to get a WebGPU adapter', { platform: 'win32' }, /Direct3D 12$/],
    [
      'webgpu',
      'no adapter',
      { environment: { VK_DRIVER_FILES: '/nowhere' } },
      /^VK_DRIVER_FILES names no file/,
    ],
    [
      'cuda',
      'CUDA failure 100: no CUDA-capable device is detected',
      { environment: { CUDA_VISIBLE_DEVICES: '7' } },
      /^choose a number that nvidia-smi -L prints: CUDA_VISIBLE_DEVICES is "7"$/,
    ],
  ])('%s: %s, %j', (device, reason, context, advice) => {
    expect(explainDevice(device, reason, { ...bare, ...context })).toEqual({
      reason,
      advice: expect.stringMatching(advice),
    });
  });

  it("names Vulkan's loader where it is missing", () => {
    const loadError = (library: string) => `${library}: cannot open shared object file`;
    const runtime = { path: '/lib/libonnxruntime.so.1', version: '1.31.1', loadError };
    expect(explainDevice('webgpu', 'Failed to get a WebGPU adapter', { ...bare, runtime })).toEqual({
      reason:
        "Failed to load libvulkan.so.1, the loader of Vulkan's drivers: libvulkan.so.1: cannot open shared object file",
      advice: 'apt-get install libvulkan1, on Fedora dnf install vulkan-loader',
    });
  });

  it('leaves alone what it does not know', () => {
    expect(explainDevice('cuda', 'out of memory', bare)).toEqual({ reason: 'out of memory' });
    expect(explainDevice('npu', 'broken', bare)).toEqual({ reason: 'broken' });
  });
});

describe("CUDA's libraries", needs(otherSystem('linux', 'darwin')), () => {
  const explain = (missing?: string, environment = {}) => {
    const path = join(folder, 'site-packages/onnxruntime/capi/libonnxruntime.so.1.31.1');
    const loadError = (library: string) =>
      missing !== undefined && library.endsWith('cuda.so')
        ? `Failed to load shared library: ${missing}: cannot open shared object file: No such file or directory`
        : undefined;
    return explainDevice('cuda', 'no provider', {
      platform: 'linux',
      environment,
      runtime: { path, version: '1.31.1', loadError },
    });
  };
  const provider = (name: string) =>
    put(`site-packages/onnxruntime/capi/libonnxruntime_providers_${name}.so`);
  const install = 'pip install "onnxruntime-gpu[cuda,cudnn]==1.31.1"';

  it('tells how to get the provider', () => {
    provider('shared');
    expect(explain()).toEqual({
      reason: 'Failed to load shared library libonnxruntime_providers_cuda.so',
      advice: `${install} and set library to its folder onnxruntime`,
    });
    provider('cuda');
    expect(explain()).toEqual({ reason: 'no provider' });
  });

  it('names the driver', () => {
    expect(explain('libcuda.so.1').advice).toMatch(/^install NVIDIA's driver/);
  });

  it('names the version found beside the one wanted', () => {
    const old = put('old/libwanted.so.8');
    put('old/libwanted.so');
    expect(explain('libwanted.so.9', { LD_LIBRARY_PATH: dirname(old) })).toEqual({
      reason: `Failed to load shared library libwanted.so.9, which CUDA's provider needs; found ${old}`,
      advice: `${install} and list its folders nvidia/*/lib in LD_LIBRARY_PATH`,
    });
  });

  it("names the folders of Python's packages where they have it", () => {
    const exact = dirname(put('site-packages/nvidia/wanted/lib/libwanted.so.9'));
    const other = dirname(put('site-packages/nvidia/other/lib/libother.so.1'));
    const { advice } = explain('libwanted.so.9');
    expect(advice).toBe(`export LD_LIBRARY_PATH=${exact}:${other}`);
  });
});
