import { fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { beatPipe } from './heartbeat.ts';
import type { HostMessage, WorkerMessage } from './protocol.ts';
import { orElse } from '../errors.ts';

/**
 * A worker's garbage is mostly tensors; collecting it on four threads takes the host's processor for little gain. What
 * requests leave, such as large grammars, is collected before the heap has grown by a third.
 */
const garbageCollection = [
  '--single-threaded-gc',
  '--v8-pool-size=1',
  '--heap-growing-percent=30',
  '--max-semi-space-size=8',
];

/**
 * Settings of the GNU C library's memory, as `GLIBC_TUNABLES`: one heap in pages of 2 MiB. A step reads weights and caches whole, and
 * small pages that lie scattered make it up to a fifth slower. Other libraries ignore it.
 */
export const memorySettings = 'glibc.malloc.hugetlb=1:glibc.malloc.arena_max=1';

/** Codecs comment on every damaged packet of a file: `[aac @ 0x55d0c8] Number of bands exceeds limit`. */
const codecNoise = /^\[[\w ,:/]+ @ 0x[\da-f]+\] /i;

export interface WorkerProcessOptions {
  readonly worker: URL;
  /** Flags for Node; default: those of this process that make sense in a worker, see `workerExecArgv`. */
  readonly execArgv?: readonly string[] | undefined;
  /** Variables beside those of this process. */
  readonly environment?: Readonly<Record<string, string>> | undefined;
}

export interface WorkerProcessEvents {
  onMessage(message: WorkerMessage): void;
  /** Its thread for that has beaten; see `heartbeat`. */
  onBeat(beats: string): void;
  /**
   * Called exactly once, never from within `startWorkerProcess`; nothing else is called afterwards.
   * @param error why there was no process
   */
  onExit(reason: string, error?: Error): void;
}

export type WorkerProcess = ReturnType<typeof startWorkerProcess>;

/** Starts a worker process. What it prints goes to standard error: standard output belongs to the host. */
export function startWorkerProcess(options: WorkerProcessOptions, events: WorkerProcessEvents) {
  const child = fork(options.worker, [], {
    serialization: 'advanced',
    stdio: ['ignore', 2, 'pipe', 'ipc', 'pipe'],
    env: { ...workerEnvironment(process.env), ...options.environment },
    execArgv: [...garbageCollection, ...(options.execArgv ?? workerExecArgv(process.execArgv))],
  });
  let exited = false;
  const exit = (reason: string, error?: Error): void => {
    if (exited) return;
    exited = true;
    events.onExit(reason, error);
  };
  child.on('message', (message) => {
    if (!exited) events.onMessage(message as WorkerMessage);
  });
  // A process without a file left has no pipes either.
  if (child.stderr) {
    createInterface({ input: child.stderr }).on('line', (line) => {
      if (!codecNoise.test(line)) process.stderr.write(`${line}\n`);
    });
  }
  const pulse = child.stdio?.[beatPipe] as Socket | undefined;
  pulse?.on('data', (beats: Buffer) => {
    if (!exited) events.onBeat(beats.toString());
  });
  // A pipe of a worker that is gone.
  pulse?.on('error', () => undefined);
  child.on('exit', (code, signal) => exit(signal ? `ended by ${signal}` : `exit code ${code}`));
  // A process that could not be started may never report its exit.
  child.on('error', (error) => {
    if (child.pid === undefined) exit(error.message, error);
  });
  return {
    /** A worker that is gone gets nothing, silently. @throws Error if the message can't be cloned */
    send(message: HostMessage, onWritten: () => void = () => undefined): void {
      if (child.connected) child.send(message, onWritten);
    },
    kill(): void {
      child.kill('SIGKILL');
    },
    /** Whether a signal has stopped it, as `SIGSTOP` does. Always `false` beside Linux, where nothing tells. */
    isStopped: () => isStopped(child.pid),
    /** Whether the worker keeps this process from exiting. */
    hold(held: boolean): void {
      // Bun's pipe of errors has neither.
      for (const handle of [child, child.channel, child.stderr as Partial<Socket> | null, pulse]) {
        if (held) handle?.ref?.();
        else handle?.unref?.();
      }
    },
  };
}

function isStopped(pid: number | undefined): boolean {
  // The name of the program may have spaces and brackets; the state is the letter behind it.
  const readState = (): string => readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /s, '');
  return orElse(() => readState().startsWith('T'), false);
}

// Debugger ports are taken by the host; modules preloaded for the host (instrumentation, test runners, evaluated scripts) are no
// part of a worker, and the environment has the variables of files already.
const hostOnly =
  /^--(?:inspect|debug-port|import|require|loader|experimental-loader|eval|print|input-type|check|interactive|watch|(?:experimental-)?test|env-file)(?:[-=]|$)|^-[a-z]+$/;
const valueFollows =
  /^(?:--(?:import|require|loader|experimental-loader|eval|print|input-type|watch-path|inspect-port|debug-port|env-file|env-file-if-exists)|-(?:r|e|p|pe))$/;
/** Yarn's preload, without which no package is found. */
const plugAndPlay = /[\\/]\.pnp\.(?:c?js|loader\.mjs)$/;

/**
 * The flags of a host's Node that its workers are started with: memory limits, module resolution and the like, but nothing that
 * debugs, watches, tests, evaluates or preloads.
 */
export function workerExecArgv(execArgv: readonly string[]): string[] {
  const kept: string[] = [];
  for (let index = 0; index < execArgv.length; index++) {
    const flag = execArgv[index]!;
    const whole = valueFollows.test(flag) ? execArgv.slice(index, ++index + 1) : [flag];
    if (!hostOnly.test(flag) || plugAndPlay.test(whole.at(-1)!)) kept.push(...whole);
  }
  return kept;
}

/** By these variables Node, its test runner and debuggers speak with the process that has them. */
const hostVariable =
  /^(?:NODE_(?:INSPECT_RESUME_ON_START|TEST_CONTEXT|UNIQUE_ID|V8_COVERAGE)|VSCODE_INSPECTOR_OPTIONS|WATCH_REPORT_DEPENDENCIES)$/;

/** The environment of a worker: that of its host without what is meant for the host alone, `NODE_OPTIONS` as `workerExecArgv` has it. */
export function workerEnvironment(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const options = environment['NODE_OPTIONS'];
  const left = Object.keys(environment).filter((name) => hostVariable.test(name));
  return {
    GLIBC_TUNABLES: memorySettings,
    ...environment,
    ...(options && { NODE_OPTIONS: joinOptions(workerExecArgv(splitOptions(options))) }),
    // Node gives back a variable that is merely left out.
    ...Object.fromEntries(left.map((name) => [name, undefined])),
  };
}

/** As Node reads `NODE_OPTIONS`: double quotes keep spaces together, and in them a backslash keeps the character after it. */
function splitOptions(text: string): string[] {
  const words = text.match(/(?:"(?:\\.|[^"\\])*"?|[^ "])+/g) ?? [];
  return words.map((word) =>
    word.replaceAll(/"((?:\\.|[^"\\])*)"?/g, (_, quoted: string) => quoted.replaceAll(/\\(.)/g, '$1')),
  );
}

function joinOptions(options: readonly string[]): string {
  return options
    .map((option) => (/[ "]/.test(option) ? `"${option.replaceAll(/["\\]/g, String.raw`\$&`)}"` : option))
    .join(' ');
}
