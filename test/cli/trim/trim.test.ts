import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findNeedless } from '../../../src/cli/trim/trim-command.ts';
import { Cli } from '../cli-process.ts';
import { needs, otherSystem } from '../../needs.ts';

describe('slashv1 trim', () => {
  let folder: string;
  let runtime: string;
  const put = (path: string) => {
    mkdirSync(join(runtime, path, '..'), { recursive: true });
    writeFileSync(join(runtime, path), 'binary');
  };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'slashv1-trim-'));
    runtime = join(folder, 'node_modules/onnxruntime-node');
    put('package.json');
    for (const platform of ['darwin/arm64', 'linux/x64', 'linux/arm64', 'win32/x64']) {
      put(`bin/napi-v6/${platform}/onnxruntime_binding.node`);
    }
    put('bin/napi-v6/linux/x64/libonnxruntime.so.1');
    put('bin/napi-v6/linux/x64/libonnxruntime_providers_cuda.so');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const needless = (platforms: string[], devices?: string[]) =>
    findNeedless({ platforms, devices }, join(folder, 'x.js')).map((one) => one.for);

  it('keeps the platforms and devices that are named', () => {
    expect(needless(['linux-x64']).toSorted()).toEqual(['darwin-arm64', 'linux-arm64', 'win32-x64']);
    expect(needless(['linux-x64', 'darwin-arm64'], ['cpu', 'cuda'])).toEqual(['linux-arm64', 'win32-x64']);
    expect(needless(['linux-x64'], ['cpu'])).toContain('cuda');
  });

  it(
    'removes what it shows, once, and shows it without removing',
    needs(otherSystem('linux', 'darwin')),
    async () => {
      // The command looks beside its own files.
      const own = join(folder, 'node_modules/slashv1');
      cpSync('dist/lib', join(own, 'dist/lib'), { recursive: true });
      cpSync('package.json', join(own, 'package.json'));
      for (const name of ['zod', 'koffi', 'sharp']) {
        if (existsSync(join('node_modules', name))) {
          cpSync(join('node_modules', name), join(folder, 'node_modules', name), { recursive: true });
        }
      }
      const trim = (...args: string[]) =>
        new Cli(['trim', '--platform', 'linux-x64', '--device', 'cpu', ...args], {
          program: join(own, 'dist/lib/cli.js'),
        }).end();
      const platforms = () => readdirSync(join(runtime, 'bin/napi-v6'), { recursive: true }).map(String);
      const before = platforms();
      expect((await trim('--dry-run')).output).toMatch(/^Would remove /m);
      expect(platforms()).toEqual(before);
      const { output, code } = await trim();
      expect({ code, last: output.trim().split('\n').at(-1) }).toEqual({
        code: 0,
        last: expect.stringMatching(/^Removed /),
      });
      expect(output).toContain('libonnxruntime_providers_cuda.so');
      const left = ['onnxruntime_binding.node', 'libonnxruntime.so.1'].map((name) => join('linux/x64', name));
      expect(platforms().filter((path) => path.includes('.'))).toEqual(expect.arrayContaining(left));
      expect(platforms().filter((path) => path.includes('.'))).toHaveLength(2);
      expect((await trim()).output).toBe('Nothing to remove.\n');
    },
  );

  it.each([
    [['--platform', 'linux'], /--platform: expected linux, darwin or win32 with -x64 or -arm64, got "linux"/],
    [['--device', 'gpu'], /--device: expected cpu, webgpu, cuda, dml, coreml, got "gpu"/],
  ])('refuses %s', async (args, message) => {
    const { code, messages } = await new Cli(['trim', ...args, '--dry-run']).end();
    expect({ code, messages }).toEqual({ code: 2, messages: expect.stringMatching(message) });
  });
});
