import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createInference, embedding, onnx } from '../../../dist/src/index.js';
import { missingWheel, wheelFolder } from './wheels.js';

const run = promisify(execFile);
const file = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const plugins = [
  [
    'openvino',
    'onnxruntime-ep-openvino',
    'onnxruntime_ep_openvino/libonnxruntime_providers_openvino_plugin.so',
  ],
  ['ggml', 'onnxruntime-ggml', 'onnxruntime_ggml/lib/libonnxruntime_ggml.so'],
] as const;

interface Checked {
  readonly name: string;
  readonly state: string;
  readonly detail: string;
}

async function examine(provider: string, library: string): Promise<Checked> {
  const main = file('../../../dist/lib/cli.js');
  const args = [main, 'doctor', '--json', '--plugin', `${provider}=${library}`];
  const env = { ...process.env, SLASHV1_OFFLINE: '1' };
  const { stdout } = await run(process.execPath, args, { env });
  return (JSON.parse(stdout) as Checked[]).find(({ name }) => name === `plugin ${provider}`)!;
}

const quiet = { ...process.env, ORT_GGML_LOG: 'error' };

describe.each(plugins)('the plugin %s', async (provider, wheel, path) => {
  const library = join(wheelFolder(wheel), path);
  const missing = missingWheel(wheel);
  const found = missing === undefined ? await examine(provider, library) : undefined;
  const reason = missing ?? (found!.state === 'ok' ? undefined : found!.detail);

  const zeros = [0, 2, 4];
  it.for<[string, unknown]>([
    ['a session that is alive at the exit', zeros],
    [
      'a second registration',
      [
        zeros,
        `backend.plugins[0]: this process has "${provider}" with other settings; with isolation: "process" each model has its own.`,
      ],
    ],
    ['two threads', [zeros, zeros, zeros]],
    ['runs of two sessions at once', true],
    ['a cancelled run', zeros],
    [
      'a number too large',
      ['device', expect.stringMatching(/^device: "\w+:7" doesn't work here: it has 1 device, /)],
    ],
    ['many shapes', expect.toSatisfy((growth: number) => growth < 30)],
  ])('survives %s', async ([name, expected], { skip }) => {
    if (reason) skip(reason);
    const { stdout } = await run(process.execPath, [file('plugin-cases.js'), name, provider, library], {
      env: quiet,
    });
    expect(JSON.parse(stdout)).toEqual(expected);
  });

  it('is shown by doctor', ({ skip }) => {
    if (reason) skip(reason);
    expect(found!.detail).toMatch(new RegExp(`^${provider}:0: cpu by .+`));
  });

  it('gives the vectors of the CPU', async ({ skip }) => {
    if (reason) skip(reason);
    const backend = onnx({ plugins: [{ provider, library }] });
    const inference = createInference({
      models: {
        cpu: embedding({ source: 'tiny-embed' }),
        plugin: embedding({ source: 'tiny-embed', device: provider, backend }),
      },
    });
    try {
      const input = ['A cat sat on the mat.'];
      const [expected, got] = await Promise.all([
        inference.embed({ model: 'cpu', input }),
        inference.embed({ model: 'plugin', input }),
      ]);
      const [a, b] = [expected.embeddings[0]!, got.embeddings[0]!];
      expect(a.reduce((sum, value, index) => sum + value * b[index]!, 0)).toBeCloseTo(1, 3);
    } finally {
      await inference.close({ graceMs: 0 });
    }
  });
});

describe('onnx({ plugins })', () => {
  const refused = async (plugin: { library: string; provider: string; options?: Record<string, string> }) => {
    const model = embedding({ source: 'tiny-embed', backend: onnx({ plugins: [plugin] }) });
    const inference = createInference({ models: { model } });
    try {
      return await inference.ready().then(
        () => 'accepted',
        (error: unknown) => (error as Error).message,
      );
    } finally {
      await inference.close({ graceMs: 0 });
    }
  };

  it('names a library that is missing', async () => {
    expect(await refused({ library: '/nowhere.so', provider: 'it' })).toContain(
      'backend.plugins[0].library: expected a library with a provider, "/nowhere.so" doesn\'t exist',
    );
  });

  it('names a library that is no plugin', async () => {
    expect(await refused({ library: process.execPath, provider: 'it' })).toContain(
      'backend.plugins[0].library: ',
    );
  });

  it('names the providers that have a device', async ({ skip }) => {
    const reason = missingWheel('onnxruntime-ep-openvino');
    if (reason) skip(reason);
    const library = join(wheelFolder('onnxruntime-ep-openvino'), plugins[0][2]);
    expect(await refused({ library, provider: 'other' })).toMatch(
      /backend\.plugins\[0\]\.provider: expected a provider with a device on this machine, which are "cpu".*, got "other"/,
    );
  });

  it.each([
    ['gpu', {}, 'expected "cpu" or "webgpu" or "cuda" or "dml" or "coreml" or "cuda:1", got "gpu".'],
    [
      'gpu',
      { backend: onnx({ plugins: [{ library: 'x', provider: 'npu' }] }) },
      'or "cuda:1" or "npu", got "gpu".',
    ],
  ])('refuses the device %s, which no plugin has', (device, settings, message) => {
    expect(() =>
      createInference({ models: { m: embedding({ source: 'tiny-embed', device, ...settings }) } }),
    ).toThrow(message);
    const replicas = [{ device }];
    expect(() =>
      createInference({ models: { m: embedding({ source: 'tiny-embed', replicas, ...settings }) } }),
    ).toThrow(`models.m.replicas[0].device: expected`);
  });
});
