import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createInference, embedding, onnx } from '../../../dist/src/index.js';
import type { Check } from '../../../src/cli/doctor/checks.ts';
import { Cli } from '../../cli/cli-process.ts';
import { compile, newerPlugin, oldRuntime, smallPlugin, withoutCompiler } from './shared-libraries.ts';
import { needs } from '../../needs.ts';

// Machines that lack something, each as a process that sees other libraries; the messages are the loader's and the runtime's own.

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'slashv1-broken-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

async function doctor(
  name: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const cli = new Cli(['doctor', '--json', ...args], { env: { SLASHV1_OFFLINE: '1', ...env } });
  const { output } = await cli.end();
  return (JSON.parse(output) as Check[]).find((check) => check.name === name)!.detail;
}

/** A GPU build of the runtime that is installed, whose provider wants another library. */
function gpuBuild(name: string, lacking: readonly string[]): string {
  const below = join(folder, name);
  mkdirSync(below);
  const manifest = createRequire(import.meta.url).resolve('onnxruntime-node/package.json');
  const library = 'libonnxruntime.so.1';
  const shipped = join(dirname(manifest), 'bin/napi-v6', process.platform, process.arch, library);
  // The runtime looks for providers beside itself.
  copyFileSync(shipped, join(below, library));
  compile(below, 'libonnxruntime_providers_shared.so', '');
  compile(below, 'libonnxruntime_providers_cuda.so', '', lacking);
  return below;
}

describe('doctor, and the error of a device', { ...needs(withoutCompiler), timeout: 60_000 }, () => {
  it("names NVIDIA's driver where it is missing", async () => {
    const text = await doctor('device cuda', ['--library', gpuBuild('no-driver', ['libcuda.so.1'])]);
    expect(text).toBe(
      "Failed to load shared library libcuda.so.1, which CUDA's provider needs; install NVIDIA's driver; a container gets it by docker run --gpus all.",
    );
  });

  it("names CUDA's library where a GPU build has none, and the version that is there", async () => {
    const library = gpuBuild('no-cuda', ['libslashv1cuda.so.13']);
    const text = await doctor('device cuda', ['--library', library]);
    expect(text).toMatch(
      /^Failed to load shared library libslashv1cuda\.so\.13, which CUDA's provider needs; pip install "onnxruntime-gpu\[cuda,cudnn\]==[\d.]+" and list its folders nvidia\/\*\/lib in LD_LIBRARY_PATH\.$/,
    );
    const old = join(folder, 'toolkit');
    mkdirSync(old);
    symlinkSync(process.execPath, join(old, 'libslashv1cuda.so.12'));
    const found = await doctor('device cuda', ['--library', library], { LD_LIBRARY_PATH: old });
    expect(found).toContain(`which CUDA's provider needs; found ${old}/libslashv1cuda.so.12; pip install`);
  });

  it("names Vulkan's loader where it can't be loaded", async () => {
    const below = join(folder, 'no-vulkan');
    mkdirSync(below);
    writeFileSync(join(below, 'libvulkan.so.1'), 'no library');
    const text = await doctor('device webgpu', [], { LD_LIBRARY_PATH: below });
    expect(text).toMatch(
      /^Failed to load libvulkan\.so\.1, the loader of Vulkan's drivers: .*; apt-get install libvulkan1, on Fedora dnf install vulkan-loader\.$/,
    );
  });

  it('names the variable that hides the drivers of Vulkan', async ({ skip }) => {
    const text = await doctor('device webgpu', [], { VK_DRIVER_FILES: '/nowhere', VK_ICD_FILENAMES: '' });
    if (text.includes('libvulkan')) skip("Vulkan's loader is missing here");
    expect(text).toMatch(/; VK_DRIVER_FILES names no file: unset it\.$/);
  });

  it.each([
    [
      'an older version',
      oldRuntime,
      [],
      '--library: expected version 16 or later of its C API, which onnxruntime 1.16 and later have, got onnxruntime 1.9.1.',
    ],
    [
      'no runtime at all',
      'int answer = 42;',
      [],
      'libit.so: expected a library of ONNX Runtime, got one without OrtGetApiBase.',
    ],
    ['one that lacks a library', oldRuntime, ['libslashv1absent.so.7'], 'libslashv1absent.so.7: cannot open'],
  ])('refuses a library that is %s', async (name, source, lacking, expected) => {
    const library = compile(join(folder, name.replaceAll(' ', '-')), 'libit.so', source, lacking);
    expect(await doctor('runtime', ['--library', library])).toContain(expected);
    expect(await doctor('device cpu', ['--library', library])).toBe('not tried: see runtime');
  });

  it.each([
    [
      'of a newer API',
      newerPlugin,
      [],
      'this plugin needs version 999 of the API; take a version of the plugin for this runtime, or by library a runtime for this plugin.',
    ],
    [
      'that lacks a library',
      smallPlugin,
      ['libslashv1absent.so.7'],
      'Failed to load shared library libslashv1absent.so.7, which the plugin needs; install it, and list its folder in LD_LIBRARY_PATH.',
    ],
    ['that is none', 'int answer = 42;', [], 'got another file (/'],
  ])('refuses a plugin %s', async (name, source, lacking, expected) => {
    const library = compile(join(folder, name.replaceAll(' ', '-')), 'libplugin.so', source, lacking);
    expect(await doctor('plugin it', ['--plugin', `it=${library}`])).toContain(expected);
  });

  it('names the devices that a plugin has, where a number is too large', async () => {
    const library = compile(folder, 'libsmall.so', smallPlugin);
    const backend = onnx({ plugins: [{ provider: 'small', library }] });
    const model = embedding({ source: 'tiny-embed', device: 'small:3', backend });
    const inference = createInference({ models: { model } });
    try {
      await expect(inference.ready()).rejects.toMatchObject({
        param: 'device',
        message: `Model "model": device: "small:3" doesn't work here: it has 1 device, small:0.`,
      });
    } finally {
      await inference.close({ graceMs: 0 });
    }
  });
});
