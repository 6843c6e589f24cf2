import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { needs, otherSystem } from '../needs.ts';
import { freePorts } from './topology.ts';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../..');
const deploy = join(root, 'examples/deploy');

interface Stage {
  readonly from: string;
  readonly steps: { readonly name: string; readonly value: string }[];
}

const stages: Stage[] = [];
for (const line of readFileSync(join(deploy, 'Dockerfile'), 'utf8').split('\n')) {
  const [, name, value = ''] = /^([A-Z]+) (.+)$/.exec(line) ?? [];
  if (name === 'FROM') stages.push({ from: value, steps: [] });
  else if (name) stages.at(-1)!.steps.push({ name, value });
}
const valuesOf = ({ steps }: Stage, wanted: string) =>
  steps.filter(({ name }) => name === wanted).map(({ value }) => value);
const [packages, final] = stages as [Stage, Stage];

describe('the Dockerfile', () => {
  it('has a stage for packages, and one that runs without rights and is asked for its health', () => {
    expect(stages).toHaveLength(2);
    expect(packages.from).toBe(`${final.from} AS packages`);
    expect(valuesOf(final, 'RUN')).toEqual([]);
    expect(valuesOf(final, 'USER')).toEqual(['node']);
    expect(valuesOf(final, 'HEALTHCHECK')).toHaveLength(1);
  });

  it('runs on a disk that is read-only', () => {
    const { services } = parse(readFileSync(join(deploy, 'compose.yaml'), 'utf8'), { merge: true }) as {
      services: Record<string, { build?: string; read_only?: boolean; tmpfs?: string[] }>;
    };
    const hosts = Object.values(services).filter(({ build }) => build !== undefined);
    expect(hosts.length).toBeGreaterThan(0);
    for (const host of hosts) expect(host).toMatchObject({ read_only: true, tmpfs: ['/tmp'] });
  });

  it(
    "serves by its commands, with this checkout's packages in place of installed ones",
    { ...needs(otherSystem('linux', 'darwin')), timeout: 120_000 },
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'slashv1-image-'));
      try {
        for (const command of valuesOf(packages, 'RUN')) {
          const [, names] = /^npm install --ignore-scripts (.+)$/.exec(command) ?? [];
          if (names) packagesOf(names).forEach((name) => install(folder, name));
          // Links lead to this checkout, of which nothing may be removed.
          else if (command.includes('trim')) await run('sh', ['-c', `${command} --dry-run`], { cwd: folder });
          else await run('sh', ['-c', command], { cwd: folder });
        }
        const copies = valuesOf(final, 'COPY').filter((copy) => !copy.startsWith('--from'));
        const files = copies.flatMap((copy) => copy.split(' ').slice(0, -1));
        for (const file of files) cpSync(join(deploy, file), join(folder, file));
        const [port = 0] = await freePorts(1);
        const [program, ...args] = JSON.parse(valuesOf(final, 'CMD')[0]!) as [string, ...string[]];
        const env = {
          ...process.env,
          PORT: String(port),
          HOST: '127.0.0.1',
          API_KEY: 'sk-one',
          DRAIN_DELAY_MS: '0',
        };
        const host = spawn(program, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
        const ended = once(host, 'exit') as Promise<[number | null]>;
        try {
          const [line] = await Promise.race([once(host.stdout, 'data'), ended]);
          expect(String(line)).toBe('listening\n');
          expect(await health(port)).toBe(0);
        } finally {
          host.kill('SIGTERM');
        }
        expect((await ended)[0]).toBe(0);
        expect(await health(port)).toBe(1);
      } finally {
        rmSync(folder, { recursive: true });
      }
    },
  );
});

/** The tarballs that `npm run pack` makes are those of this checkout. */
function packagesOf(names: string): string[] {
  return names
    .split(' ')
    .flatMap((name) => (name === './slashv1-*.tgz' ? ['slashv1', '@slashv1/tiny-models'] : [name]));
}

function install(folder: string, name: string): void {
  const path = join(folder, 'node_modules', name);
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(name === 'slashv1' ? root : join(root, 'node_modules', name), path);
  if (name !== 'slashv1') return;
  mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true });
  const main = join(root, 'dist/lib/cli.js');
  const program = `#!/bin/sh\nexec node '${main}' "$@"\n`;
  writeFileSync(join(folder, 'node_modules/.bin/slashv1'), program, { mode: 0o755 });
}

/** Exit code of the health check's command. */
async function health(port: number): Promise<number> {
  const [, command] = /CMD (\[.+\])$/.exec(valuesOf(final, 'HEALTHCHECK')[0]!)!;
  const [program, ...args] = (JSON.parse(command!) as [string, ...string[]]).map((part) =>
    part.replace(':8000/', `:${port}/`),
  );
  return run(program!, args).then(
    () => 0,
    ({ code }: { code: number }) => code,
  );
}
