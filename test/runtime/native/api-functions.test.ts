import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { apiFunctions, apiVersion } from '../../../src/runtime/native/api-functions.ts';
import { assertApi, loadApi } from '../../../src/runtime/native/load-api.ts';
import { listDevices } from '../../../src/runtime/native/plugins.ts';

const { members } = JSON.parse(readFileSync(new URL('ort-api-members.json', import.meta.url), 'utf8')) as {
  members: string[];
};

describe('apiFunctions', () => {
  it.each(Object.entries(apiFunctions))('knows the position of %s', (name, [position]) => {
    expect(members[position]).toBe(name);
  });

  // `static_assert`s at the end of onnxruntime_c_api.cc: the sizes of the table's versions 1, 2, 3, 8, 10, 11, 12 and 13.
  it.each([
    [101, 'ReleaseCustomOpDomain'],
    [118, 'ReleaseModelMetadata'],
    [124, 'AddFreeDimensionOverrideByName'],
    [169, 'CreateSessionFromArrayWithPrepackedWeightsContainer'],
    [203, 'SynchronizeBoundOutputs'],
    [209, 'SessionOptionsAppendExecutionProvider_MIGraphX'],
    [218, 'ReleaseKernelInfo'],
    [224, 'ReleaseCANNProviderOptions'],
  ])('counts as the runtime does: member %i is %s', (position, name) => {
    expect(members[position]).toBe(name);
  });
});

describe('loadApi', () => {
  it('loads the library of onnxruntime-node once', async () => {
    const api = await loadApi();
    expect(api.version).toMatch(/^1\.\d+\.\d+$/);
    expect(await loadApi()).toBe(api);
  });

  // The functions of plugins lie beyond the members that are listed.
  it('lists the devices that the runtime has by itself', async () => {
    expect(listDevices(await loadApi())).toContainEqual({
      address: expect.any(BigInt),
      provider: 'cpu',
      hardware: 'cpu',
      vendor: expect.any(String),
    });
  });

  it('says what is wrong with a library that is none', async () => {
    await expect(loadApi({ path: '/nowhere/libonnxruntime.so' })).rejects.toThrow(
      '/nowhere/libonnxruntime.so',
    );
  });

  it('refuses a library whose C API is older, with both versions', () => {
    expect(() => assertApi(null, '1.15.1')).toThrow(
      `expected version ${apiVersion} or later of its C API, which onnxruntime 1.${apiVersion} and later have, got onnxruntime 1.15.1`,
    );
    expect(() => assertApi(16n, '1.30.0')).not.toThrow();
  });

  it('throws what the runtime says', async () => {
    const api = await loadApi();
    expect(() => api.call('CreateMemoryInfo', 'Nonsense', 0, 0, 0, new BigUint64Array(1))).toThrow(/device/i);
  });
});
