import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createInference, embedding, onnx } from '../../../dist/src/index.js';
import { resolveLibrary } from '../../../src/runtime/native/runtime-library.ts';
import { missingWheel, versions, wheelFolder } from './wheels.js';
import { needs, otherSystem } from '../../needs.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'slashv1-library-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function put(...names: string[]): string {
  const path = join(folder, ...names);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, 'no library');
  return path;
}

const fileName =
  process.platform === 'win32'
    ? 'onnxruntime.dll'
    : process.platform === 'darwin'
      ? 'libonnxruntime.1.31.1.dylib'
      : 'libonnxruntime.so.1.31.1';

describe('resolveLibrary', () => {
  it.each([
    ['a release', 'release', ['lib', fileName]],
    ['the package of a wheel', 'package', ['capi', fileName]],
    ['site-packages', 'site', ['onnxruntime', 'capi', fileName]],
    [
      'a virtual environment',
      'venv',
      ['lib', 'python3.12', 'site-packages', 'onnxruntime', 'capi', fileName],
    ],
    ['a folder of its own', 'own', [fileName]],
  ])('finds the library of %s', (_name, root, below) => {
    const path = put(root, ...below);
    expect(resolveLibrary(join(folder, root), 'library')).toBe(path);
    expect(resolveLibrary(path, 'library')).toBe(path);
  });

  it('names the setting and the places', () => {
    expect(() => resolveLibrary(join(folder, 'nowhere'), 'backend.library')).toThrow(
      /^backend\.library: expected a library of ONNX Runtime, ".*nowhere" doesn't exist/,
    );
    put('empty', 'libonnxruntime_providers_shared.so');
    expect(() => resolveLibrary(join(folder, 'empty'), 'backend.library')).toThrow(
      /^backend\.library: expected a folder with a library such as .*, found none in ".*empty" \(\., lib, capi,/,
    );
  });
});

async function embed(library?: string, device?: 'cuda'): Promise<readonly number[]> {
  const encoder = embedding({ source: 'tiny-embed', device, backend: onnx({ library }) });
  const inference = createInference({ models: { encoder } });
  try {
    await inference.ready();
    const { embeddings } = await inference.embed({ model: 'encoder', input: ['A cat sat on the mat.'] });
    return [...embeddings[0]!];
  } finally {
    await inference.close({ graceMs: 0 });
  }
}

describe('onnx({ library })', () => {
  it.each([
    [
      process.execPath,
      /^Model "it": backend\.library: .*expected a library of ONNX Runtime|: Failed to load/,
    ],
    [
      '/nowhere',
      /could not be loaded: backend\.library: expected a library of ONNX Runtime, "\/nowhere" doesn't exist/,
    ],
  ])('refuses %s', async (library, message) => {
    await expect(embed(library)).rejects.toMatchObject({
      param: 'backend.library',
      message: expect.stringMatching(message),
    });
  });

  it.for(versions)('runs the wheel of %s with the same result', async (version, { skip }) => {
    const reason = missingWheel(`onnxruntime-${version}`);
    if (reason) skip(reason);
    const expected = await embed();
    const vector = await embed(wheelFolder(`onnxruntime-${version}`));
    for (const [index, value] of vector.entries()) expect(value).toBeCloseTo(expected[index]!, 5);
  });

  it("names CUDA's missing library and how to get it", needs(otherSystem('linux')), async ({ skip }) => {
    const reason = missingWheel('onnxruntime-gpu');
    if (reason) skip(reason);
    const library = wheelFolder('onnxruntime-gpu');
    expect(await embed(library)).toEqual(expect.arrayContaining([expect.any(Number)]));
    await expect(embed(library, 'cuda')).rejects.toMatchObject({
      param: 'device',
      message: expect.stringMatching(
        /"cuda" doesn't work here: Failed to load shared library lib\w+\.so\.\d+, which CUDA's provider needs; pip install "onnxruntime-gpu\[cuda,cudnn\]==[\d.]+" and list/,
      ),
    });
  });
});
