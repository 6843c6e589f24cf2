import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, it } from 'vitest';
import type { Report } from '../../benchmarks/gpu/page.js';
import { decoderFolder } from '../contract/decoder-golden.ts';

const root = resolve(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'slashv1-bench-gpu-'));
afterAll(() => rmSync(folder, { recursive: true }));

const run = (script: string, ...args: readonly string[]) =>
  promisify(execFile)(process.execPath, [join(root, script), ...args], { cwd: root });

it('bench:gpu measures all categories on the device, and finds the answers of the CPU', async ({ skip }) => {
  const fault = await run('dist/src/cli/doctor/try-device.js', 'webgpu').then(
    () => undefined,
    (error: { stderr: string }) => error.stderr,
  );
  if (fault !== undefined) skip(fault);
  const [models, output] = [join(folder, 'models'), join(folder, 'output')];
  cpSync(decoderFolder('llama-gqa'), join(models, 'llama-gqa-int4'), { recursive: true });
  const small = ['--contexts', '16', '--streams', '1,2', '--tokens', '8', '--seconds', '0.1'];
  const options = ['--models', models, '--output', output, '--devices', 'webgpu', ...small];
  await run('benchmarks/gpu/run.js', '--minutes', '25', ...options);

  const { results } = JSON.parse(readFileSync(join(output, 'results.json'), 'utf8')) as Report;
  const ofDevice = results.filter(({ device }) => device === 'webgpu');
  expect(new Set(ofDevice.map(({ category }) => category)).size).toBe(7);
  for (const { kind, model, fault: why, differences, runs, peers } of ofDevice) {
    if (kind === 'peers') {
      expect(Object.keys(peers!)).toContain('slashv1 gqa-int4');
      continue;
    }
    expect([model, why]).toEqual([model, undefined]);
    if (kind === 'answers')
      expect(differences!.every(({ apart, tolerance }) => apart <= tolerance)).toBe(true);
    else expect(runs!.length).toBeGreaterThan(0);
    for (const { measurements } of kind === 'decode' || kind === 'streams' ? runs! : []) {
      const bus = measurements.find(({ unit }) => unit === 'B');
      expect(bus!.p50).toBeLessThan(16 * 1024);
    }
  }
  const page = readFileSync(join(output, 'README.md'), 'utf8');
  expect(page).toContain('## Differences from the CPU\n\n- None.');
  const plots = [...page.matchAll(/^!\[.*\]\((.*)\)$/gm)].map(([, path]) => path!);
  expect(plots.length).toBeGreaterThan(9);
  for (const path of plots) expect(existsSync(join(output, path))).toBe(true);
});
