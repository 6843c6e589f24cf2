import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { needs, otherSystem } from '../needs.ts';

const root = resolve(import.meta.dirname, '../..');
const canTrace = spawnSync('strace', ['-o', '/dev/null', process.execPath, '-v']).status === 0;
const cannotTrace = canTrace ? undefined : 'strace is not installed, or may not trace';

const script = (isolation: string): string[] => [
  '--input-type=module',
  '--eval',
  `import { createInference } from ${JSON.stringify(join(root, 'dist/src/index.js'))};
   const inference = createInference({ models: { m: { source: 'tiny-embed' } }, isolation: '${isolation}' });
   await inference.embed({ model: 'm', input: ['a red circle'] });
   await inference.close();`,
];

const bench = [join(root, 'dist/lib/cli.js'), 'bench', 'tiny-embed', '--requests', '1'];

describe('telemetry of the runtime', { timeout: 120_000 }, () => {
  let home: string;

  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'slashv1-home-'));
  });
  afterEach(() => rmSync(home, { recursive: true }));

  const run = (args: readonly string[], env: NodeJS.ProcessEnv, tracer: readonly string[] = []): void => {
    const [command, ...all] = [...tracer, process.execPath, ...args];
    // A fresh environment: the runtime stays silent by itself where `CI` is set, which would prove nothing.
    const fresh = { PATH: process.env.PATH, HOME: home, ...env };
    const { status, stderr } = spawnSync(command!, all, { env: fresh, cwd: root });
    expect(stderr.toString()).not.toContain('Error');
    expect(status).toBe(0);
  };

  it.each([
    ['in a worker', script('process'), {}],
    ['in the calling process', script('inline'), {}],
    ['with the binding in the calling process', script('inline'), { SLASHV1_RUNTIME: 'onnxruntime-node' }],
    ['on the command line', bench, {}],
    ['with an empty variable', script('process'), { ORT_DISABLE_TELEMETRY: '' }],
    [
      'with an empty variable and the binding',
      script('process'),
      { ORT_DISABLE_TELEMETRY: '', SLASHV1_RUNTIME: 'onnxruntime-node' },
    ],
  ])('writes nothing into a fresh home: %s', (_, args, env: NodeJS.ProcessEnv) => {
    run(args, env);
    expect(readdirSync(home)).toEqual([]);
  });

  it('looks up and reaches no other machine', needs(cannotTrace), () => {
    const trace = join(home, 'trace');
    run(script('process'), {}, ['strace', '-f', '-qq', '-e', 'trace=network', '-o', trace]);
    const calls = readFileSync(trace, 'utf8');
    expect(calls).toContain('AF_UNIX');
    expect(calls.match(/.*AF_INET.*/g)).toBeNull();
  });

  it(
    'writes where the operator allows it, so that the tests above can fail',
    needs(otherSystem('linux')),
    () => {
      run(script('process'), { ORT_DISABLE_TELEMETRY: '0' });
      expect(readdirSync(home)).toEqual(['.cache']);
    },
  );
});
