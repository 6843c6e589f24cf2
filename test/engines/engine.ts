import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { ApiServer } from '../../src/backends/openai/server.ts';
import type { GraphServer } from '../../src/backends/kserve/server.ts';

/** The environments of the engines, one folder each; `ENGINES_FOLDER` names others. */
export const environments = process.env['ENGINES_FOLDER'] ?? join(tmpdir(), 'slashv1-engines');

/** Folder of the scripts by which engines written in Python run graphs. */
export const scripts = new URL('python/', import.meta.url).pathname;
const requirements = new URL('requirements/', import.meta.url).pathname;

/** Files and servers that the engines work with. */
export interface Materials {
  /** Everything here is removed at the end. */
  readonly scratch: string;
  /** `embedder.onnx`, `detector.onnx` and so on. */
  readonly graphs: string;
  /** The folders of their models without the graphs. */
  readonly models: string;
  /** tiny-chat as GGUF. */
  readonly gguf: string;
  /** The folder of tiny-chat as PyTorch has it. */
  readonly checkpoint: string;
  /** tiny-chat on another slashv1, up to and including `/v1`. */
  readonly chatURL: string;
  /** Requests that this other slashv1 is at. */
  running(): number;
}

/** A server that other people make. */
export interface Engine {
  readonly name: string;
  /** The categories of this API that it serves here. */
  readonly serves: 'chat' | 'graphs';
  /** Whether it lists that it takes tensors as bytes. */
  readonly takesBytes?: boolean;
  /** The settings of the backend. */
  readonly settings?: Pick<ApiServer, 'dialect' | 'tokenizer'> & Pick<GraphServer, 'binary'>;
  /** Installs it where it isn't, and tells its version. @throws Error with the reason why it can't be had */
  version(): string;
  /** Answers with 200 when the engine is up. */
  readonly readyPath: string;
  /** Whether it writes the list of tools in an order by which so small a model as tiny-chat misses that it can call them. */
  readonly reordersTools?: boolean;
  /** Requests that it is at. */
  running?(origin: string, materials: Materials): Promise<number>;
  /** Ports in a row that it takes, from the one that it gets on; default 1. */
  readonly ports?: number;
  command(port: number, materials: Materials): Promise<Command> | Command;
}

export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** A socket of the file system on which it listens in place of the port, within a network of its own. */
  readonly socket?: string;
}

/** A process group that runs an engine. */
export interface RunningEngine {
  readonly origin: string;
  /** As a crash ends it. */
  kill(): Promise<void>;
}

/** The longest time of one step of an installation. */
const installMinutes = Number(process.env['ENGINES_INSTALL_MINUTES'] ?? 60);

/** The program of an environment, such as `python`. */
export function programOf(environment: string, program: string): string {
  return join(environments, environment, 'bin', program);
}

/**
 * The version of a package in an environment of its own, which is made where it is missing.
 *
 * @param unwanted packages that come with it and stop it from working
 * @throws Error with the last words of the installer
 */
export function versionOfPackage(
  environment: string,
  name: string,
  unwanted: readonly string[] = [],
): string {
  const python = programOf(environment, 'python');
  const ask = () =>
    spawnSync(python, ['-c', `import importlib.metadata as m; print(m.version("${name}"))`], {
      encoding: 'utf8',
    });
  if (!existsSync(python) || ask().status !== 0) {
    run('python3', ['-m', 'venv', join(environments, environment)]);
    run(python, ['-m', 'pip', 'install', '--quiet', '-r', join(requirements, `${environment}.txt`)]);
    if (unwanted.length > 0) run(python, ['-m', 'pip', 'uninstall', '--quiet', '--yes', ...unwanted]);
  }
  const { status, stdout, stderr } = ask();
  if (status !== 0) throw new Error(lastLine(stderr));
  return stdout.trim();
}

/** @throws Error with its last words where it fails */
export function run(
  program: string,
  args: readonly string[],
  options: { readonly cwd?: string } = {},
): string {
  const timeout = installMinutes * 60_000;
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    encoding: 'utf8',
    timeout,
    // A compiler's warnings.
    maxBuffer: 256 * 2 ** 20,
    ...options,
  });
  if (status === 0) return stdout + stderr;
  const isLate = (error as NodeJS.ErrnoException | undefined)?.code === 'ETIMEDOUT';
  const reason = isLate
    ? `it took more than ${installMinutes} minutes`
    : (error?.message ?? lastLine(stderr));
  throw new Error(`${basename(program)} ${args.slice(0, 3).join(' ')}: ${reason}`);
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? '';
}

/** Starts an engine and waits until it is up. @throws Error with its last words where it ends before */
export async function startEngine(
  engine: Engine,
  port: number,
  materials: Materials,
): Promise<RunningEngine> {
  const { program, args, env = {}, cwd = materials.scratch, socket } = await engine.command(port, materials);
  const child = spawn(program, args, {
    cwd,
    env: { ...process.env, PYTHONPATH: scripts, PYTHONUNBUFFERED: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // Its children end with it, by the number of their group.
    detached: true,
  });
  const words: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      words.push(text);
      if (words.length > 40) words.shift();
      if (process.env['ENGINES_OUTPUT']) process.stderr.write(text);
    });
  }
  const origin = `http://127.0.0.1:${port}`;
  const relay = socket === undefined ? undefined : await startRelay(port, socket);
  while (!(await answers(origin + engine.readyPath))) {
    if (child.exitCode !== null || child.signalCode !== null) {
      relay?.close();
      throw new Error(`it ended while it was starting: ${lastLine(words.join(''))}`);
    }
    await pause(100);
  }
  return { origin, kill: () => killGroup(child).finally(() => relay?.close()) };
}

/** Passes the connections of a port on to a socket of the file system, which networks share. */
async function startRelay(port: number, path: string): Promise<Server> {
  const relay = createServer((client) => {
    const engine = connect(path);
    for (const [one, other] of [
      [client, engine],
      [engine, client],
    ] as const) {
      one.on('error', () => other.destroy()).on('close', () => other.destroy());
      one.pipe(other);
    }
  }).listen(port, '127.0.0.1');
  await once(relay, 'listening');
  return relay;
}

async function killGroup(child: ChildProcess): Promise<void> {
  const exited = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined;
  try {
    process.kill(-child.pid!, 'SIGKILL');
  } catch {
    // All of them have ended.
  }
  await exited;
}

async function answers(url: string): Promise<boolean> {
  const response = await fetch(url, { signal: AbortSignal.timeout(2000) }).catch(() => undefined);
  await response?.text().catch(() => undefined);
  return response?.status === 200;
}
