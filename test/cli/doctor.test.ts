import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Check } from '../../src/cli/doctor/checks.ts';
import { Cli } from './cli-process.ts';

describe('slashv1 doctor', { timeout: 120_000 }, () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'slashv1-doctor-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const offline = { SLASHV1_OFFLINE: '1' };

  it('finds that this machine can run models', async () => {
    const env = { ...offline, SLASHV1_CACHE: join(folder, 'cache') };
    const { code, output } = await new Cli(['doctor', '--json'], { env }).end();
    const checks = JSON.parse(output) as Check[];
    const stateOf = Object.fromEntries(checks.map(({ name, state }) => [name, state]));
    expect(stateOf).toMatchObject({
      node: 'ok',
      runtime: 'ok',
      'device cpu': 'ok',
      cache: 'ok',
      hub: 'missing',
      telemetry: 'ok',
      'package express': 'ok',
    });
    // No machine has all of them: each says why.
    expect(checks.find(({ name }) => name === 'device dml' || name === 'device coreml')!.detail).not.toBe(
      'works',
    );
    expect(code).toBe(0);
  });

  it('fails where a cache folder is no folder', async () => {
    const env = { ...offline, SLASHV1_CACHE: join(process.execPath, 'cache') };
    const { code, output } = await new Cli(['doctor'], { env }).end();
    expect(output).toMatch(/^✗ cache +ENOTDIR/m);
    expect(code).toBe(1);
  });
});
