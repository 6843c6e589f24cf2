import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { eventually, isRunning, workersOf } from '../engine/processes.ts';
import { missingProgram, needs, otherSystem } from '../needs.ts';

const folder = join(import.meta.dirname, 'everyday');
const main = join(import.meta.dirname, '../../dist/src/cli/main.js');
const file = (name: string): string => join(folder, name);
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const olderThan = (...[wantedMajor, wantedMinor = 0]: readonly [number, number?]): string | undefined =>
  major > wantedMajor || (major === wantedMajor && minor >= wantedMinor)
    ? undefined
    : `Node ${wantedMajor}.${wantedMinor} or later is needed, this is ${process.versions.node}`;

const programs: Program[] = [];
const folders: string[] = [];
afterAll(async () => {
  for (const { process } of programs) process.kill('SIGKILL');
  await Promise.all(programs.map(({ closed }) => closed));
  for (const path of folders) rmSync(path, { recursive: true, force: true });
});

/** A running program, with what it has printed so far. */
class Program {
  output = '';
  errors = '';
  readonly process: ChildProcess;
  readonly closed: Promise<readonly [code: number | null, signal: NodeJS.Signals | null]>;

  constructor(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
    const own = Object.entries(process.env).filter(
      ([name]) => !/^(?:NODE_|VITEST|TEST$|SLASHV1_|HF_)/.test(name),
    );
    this.process = spawn(command, args, {
      cwd: folder,
      env: { ...Object.fromEntries(own), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.process.stdout!.on('data', (text: Buffer) => (this.output += text.toString()));
    this.process.stderr!.on('data', (text: Buffer) => (this.errors += text.toString()));
    this.closed = once(this.process, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
    programs.push(this);
  }

  get pid(): number {
    return this.process.pid!;
  }

  /** Waits until a pattern is in what was printed. */
  async until(pattern: RegExp): Promise<RegExpExecArray> {
    return eventually(() => {
      const found = pattern.exec(this.output) ?? pattern.exec(this.errors);
      if (!found) throw new Error(`expected ${pattern} in ${this.output}${this.errors}`);
      return found;
    });
  }

  /** Status by request, of those that the host has asked. */
  get answers(): Readonly<Record<string, number>> {
    const lines = this.output.split('\n').filter((line) => line.startsWith('{"name"'));
    const parsed = lines.map((line) => JSON.parse(line) as { name: string; status: number });
    return Object.fromEntries(parsed.map(({ name, status }) => [name, status]));
  }
}

const start = (flags: readonly string[], env?: NodeJS.ProcessEnv): Program =>
  new Program(process.execPath, flags, env);
const countOf = (text: string, part: string): number => text.split(part).length - 1;

function temporaryFolder(): string {
  const path = mkdtempSync(join(tmpdir(), 'everyday-'));
  folders.push(path);
  return path;
}

describe.concurrent('Node as people start it', () => {
  interface Row {
    readonly flags?: readonly string[];
    readonly env?: NodeJS.ProcessEnv;
    readonly host?: string;
    readonly missing?: string | undefined;
    /** The host prints it, and no worker does. */
    readonly prints?: RegExp;
  }
  // A path with a space in it, which `NODE_OPTIONS` has in quotes.
  const tools = join(temporaryFolder(), 'my tools');
  for (const name of ['tracer.cjs', 'hooks.mjs']) cpSync(file(name), join(tools, name));
  const tracer = join(tools, 'tracer.cjs');
  const quoted = `"${tracer.replaceAll('\\', '\\\\')}"`;
  const permission = [
    major < 24 ? '--experimental-permission' : '--permission',
    '--allow-fs-read=*',
    ...(major < 25 ? [] : ['--allow-net']),
  ];
  const rows: Readonly<Record<string, Row>> = {
    'NODE_OPTIONS with a tracer by --import, which hooks the loader and speaks on the channel': {
      env: { NODE_OPTIONS: `--import=${quoted}` },
      prints: /tracer in \d+/g,
    },
    'NODE_OPTIONS with a tracer by --require': {
      env: { NODE_OPTIONS: `--require ${quoted}` },
      prints: /tracer in \d+/g,
    },
    'a tracer on the command line': { flags: ['--require', tracer], prints: /tracer in \d+/g },
    '--inspect': { flags: ['--inspect=127.0.0.1:0'], prints: /Debugger listening on \S+/g },
    '--inspect in NODE_OPTIONS': {
      env: { NODE_OPTIONS: '--inspect=127.0.0.1:0' },
      prints: /Debugger listening on \S+/g,
    },
    '--env-file, by a host that goes to another folder': {
      flags: ['--env-file=host.env'],
      env: { EVERYDAY_FOLDER: tmpdir() },
    },
    TypeScript: {
      flags: major < 24 ? ['--experimental-strip-types'] : [],
      host: 'host.ts',
      missing: olderThan(22, 6),
    },
    'the permission model': {
      flags: [
        ...permission,
        ...['child-process', 'worker', 'addons', 'fs-write=*'].map((what) => `--allow-${what}`),
      ],
      missing: olderThan(20, 12),
    },
  };

  for (const [name, { flags = [], env, host = 'host.js', missing, prints }] of Object.entries(rows)) {
    it(name, needs(missing), async () => {
      const program = start([...flags, file(host), 'embeddings', 'large'], env);
      const [code] = await program.closed;
      expect([code, program.answers], program.errors).toEqual([0, { embeddings: 200, large: 200 }]);
      if (!prints) return;
      const printed = (program.output + program.errors).match(prints);
      expect([...new Set(printed)], program.errors).toHaveLength(1);
    });
  }

  it('coverage is that of the host', async () => {
    const coverage = temporaryFolder();
    const program = start([file('host.js'), 'embeddings'], { NODE_V8_COVERAGE: coverage });
    await program.closed;
    expect(program.answers, program.errors).toEqual({ embeddings: 200 });
    expect(readdirSync(coverage)).toHaveLength(1);
  });

  it('--watch, and again after a change', async () => {
    const changing = join(temporaryFolder(), 'host.mjs');
    const source = `await import(${JSON.stringify(pathToFileURL(file('host.js')).href)});\n`;
    writeFileSync(changing, source);
    const program = start(['--watch', changing], { EVERYDAY_ORDER: 'embeddings' });
    const answersOf = (): number => countOf(program.output, '"status":200');
    await program.until(/"status":\d+/);
    expect(answersOf(), program.output).toBe(1);
    writeFileSync(changing, `${source}\n`);
    await eventually(() => expect(answersOf(), program.output).toBe(2));
  });

  it('a test under --test --watch', async () => {
    const program = start(['--test', '--watch', file('one.test.node.js')]);
    await program.until(/pass 1/);
    expect(program.output).toContain('fail 0');
  });

  it('a cluster of two', async () => {
    const program = start([file('cluster.js')]);
    const [code] = await program.closed;
    expect([code, countOf(program.output, '"status":200')], program.errors).toEqual([0, 2]);
  });

  it.for([
    [[], 'Access to this API has been restricted'],
    [['--allow-child-process'], 'Access to this API has been restricted'],
    [['--allow-child-process', '--allow-worker'], 'loading addons is disabled'],
  ] as const)('a permission model with %j alone is named, with all flags', async ([flags, words]) => {
    const program = start([...permission, ...flags, file('host.js'), 'embeddings']);
    await program.closed;
    expect(program.answers).toEqual({ embeddings: 502 });
    expect(program.errors).toContain(words);
    expect(program.errors).toContain('workers need --allow-child-process, --allow-worker, --allow-addons');
  });
});

describe.concurrent('the system around it', () => {
  const isolates =
    otherSystem('linux') ??
    (spawnSync('unshare', ['--fork', '--pid', '--kill-child', 'true']).status === 0
      ? undefined
      : 'this user may not make a namespace of processes');
  const serves = ['serve', '--model', 'm=tiny-embed', '--port', '0'];

  it('process 1 of a container heeds SIGTERM and leaves no process behind', needs(isolates), async () => {
    const program = new Program('unshare', [
      '--fork',
      '--pid',
      '--kill-child',
      process.execPath,
      main,
      ...serves,
    ]);
    await program.until(/Ctrl-C ends it/);
    const [host = 0] = childrenOf(program.pid);
    const [worker = 0] = workersOf(host);
    process.kill(host, 'SIGTERM');
    expect((await program.closed)[0], program.errors).toBe(0);
    expect(isRunning(worker)).toBe(false);
  });

  it(
    'a terminal that closes ends slashv1 serve as SIGTERM does',
    needs(otherSystem('linux', 'darwin')),
    async () => {
      const program = start([main, ...serves]);
      await program.until(/Ctrl-C ends it/);
      const [worker = 0] = workersOf(program.pid);
      program.process.kill('SIGHUP');
      expect(await program.closed, program.errors).toEqual([null, 'SIGHUP']);
      expect(program.errors).toContain('Stopping.');
      expect(isRunning(worker)).toBe(false);
    },
  );

  it(
    'the same where the terminal is gone for good',
    needs(otherSystem('linux', 'darwin') ?? missingProgram('python3')),
    async () => {
      const program = new Program('python3', [file('terminal.py'), process.execPath, main, ...serves]);
      await program.closed;
      // Without its terminal Node aborts at its exit, with signal 6.
      expect(program.output.trim().split('\n').at(-1), program.errors).toBe('ended by signal 1');
    },
  );

  it('a host without a handler takes its workers along', needs(otherSystem('linux', 'darwin')), async () => {
    const program = start([file('host.js'), 'embeddings', 'stay']);
    await program.until(/stays/);
    const [worker = 0] = workersOf(program.pid);
    expect(isRunning(worker)).toBe(true);
    program.process.kill('SIGHUP');
    expect(await program.closed).toEqual([null, 'SIGHUP']);
    await eventually(() => expect(isRunning(worker)).toBe(false));
  });

  it(
    'a service with 96 files open at most answers all the same',
    needs(otherSystem('linux', 'darwin')),
    async () => {
      const command = 'ulimit -n 96; exec "$0" "$@"';
      const program = new Program('sh', [
        '-c',
        command,
        process.execPath,
        file('host.js'),
        'embeddings',
        'large',
        'upload',
      ]);
      const [code] = await program.closed;
      expect([code, program.answers], program.errors).toEqual([
        0,
        { embeddings: 200, large: 200, upload: 200 },
      ]);
    },
  );

  it(
    'slashv1 with 96 files open at most answers, or names the limit',
    needs(otherSystem('linux', 'darwin')),
    async () => {
      const program = new Program('sh', [
        '-c',
        'ulimit -n 96; exec "$0" "$@"',
        process.execPath,
        main,
        'models',
        'list',
      ]);
      const [code] = await program.closed;
      expect(program.errors).not.toContain('    at ');
      if (code !== 0) expect(program.errors).toMatch(/too many open files: raise their limit, ulimit -n/);
    },
  );

  for (const [what, path, missing] of [
    ['is missing', join(tmpdir(), 'nowhere', 'at-all'), undefined],
    ['may only be read', '/proc', otherSystem('linux')],
  ] as const) {
    it(
      `where the folder for temporary files ${what}, uploads are refused by name`,
      needs(missing),
      async () => {
        const place = { TMPDIR: path, TEMP: path, TMP: path };
        const program = start([file('host.js'), 'embeddings', 'upload', 'large'], place);
        const [code] = await program.closed;
        const answers = { embeddings: 200, upload: 507, large: 200 };
        expect([code, program.answers], program.errors).toEqual([0, answers]);
        expect(program.output).toContain('The service has no folder for uploads.');
        expect(program.errors).toContain(`uploadDirectory: ${path} can't be written to (`);
        expect(program.errors).not.toContain('    at ');
      },
    );
  }
});

function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);
}
