import { fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { beatPipe } from './heartbeat.ts';
import type { HostMessage, WorkerMessage } from './protocol.ts';
import { orElse } from '../errors.ts';

/**
 * A worker's garbage is mostly tensors; collecting it on four threads takes CPU from the host for little gain. Large
 * garbage of requests, such as grammars, is collected before the heap has grown by a third.
 */
const garbageCollection = [
  '--single-threaded-gc',
  '--v8-pool-size=1',
  '--heap-growing-percent=30',
  '--max-semi-space-size=8',
];

/**
 * Memory settings of the GNU C library, as `GLIBC_TUNABLES`: one heap in pages of 2 MiB, also for large blocks, with the
 * thresholds that the library would reach by itself. A step reads all weights and caches, and scattered small pages make
 * it up to a fifth slower. Other C libraries ignore it.
 */
export const memorySettings =
  'glibc.malloc.hugetlb=1:glibc.malloc.arena_max=1:glibc.malloc.mmap_threshold=33554432:glibc.malloc.trim_threshold=67108864';

/** Codecs log every damaged packet of a file: `[aac @ 0x55d0c8] Number of bands exceeds limit`. */
const codecNoise = /^\[[\w ,:/]+ @ 0x[\da-f]+\] /i;

export interface WorkerProcessOptions {
  readonly worker: URL;
  /** Flags for Node; default: flags of this process that apply to a worker, see `workerExecArgv`. */
  readonly execArgv?: readonly string[] | undefined;
  /** Variables in addition to this process's. */
  readonly environment?: Readonly<Record<string, string>> | undefined;
}

export interface WorkerProcessEvents {
  onMessage(message: WorkerMessage): void;
  /** The heartbeat thread has sent beats; see `heartbeat`. */
  onBeat(beats: string): void;
  /**
   * Called exactly once and last, never synchronously by `startWorkerProcess`.
   * @param error why the process couldn't start
   */
  onExit(reason: string, error?: Error): void;
}

export type WorkerProcess = ReturnType<typeof startWorkerProcess>;

/** Starts a worker process. Its output goes to standard error: standard output belongs to the host. */
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
  // Without free file descriptors the process has no pipes either.
  if (child.stderr) {
    createInterface({ input: child.stderr }).on('line', (line) => {
      if (!codecNoise.test(line)) process.stderr.write(`${line}\n`);
    });
  }
  const pulse = child.stdio?.[beatPipe] as Socket | undefined;
  pulse?.on('data', (beats: Buffer) => {
    if (!exited) events.onBeat(beats.toString());
  });
  // The worker may have exited.
  pulse?.on('error', () => undefined);
  child.on('exit', (code, signal) => exit(signal ? `ended by ${signal}` : `exit code ${code}`));
  // A process that could not be started may never emit `exit`.
  child.on('error', (error) => {
    if (child.pid === undefined) exit(error.message, error);
  });
  return {
    /** Messages to an exited worker are dropped. @throws Error if the message can't be cloned */
    send(message: HostMessage, onWritten: () => void = () => undefined): void {
      if (child.connected) child.send(message, onWritten);
    },
    kill(): void {
      child.kill('SIGKILL');
    },
    /** Whether a signal such as `SIGSTOP` has stopped it. Always `false` outside Linux, which has no way to find out. */
    isStopped: () => isStopped(child.pid),
    /** Whether the worker keeps this process from exiting. */
    hold(held: boolean): void {
      // Bun's stderr pipe has neither.
      for (const handle of [child, child.channel, child.stderr as Partial<Socket> | null, pulse]) {
        if (held) handle?.ref?.();
        else handle?.unref?.();
      }
    },
  };
}

function isStopped(pid: number | undefined): boolean {
  // The program name may contain spaces and brackets; the state is the letter after it.
  const readState = (): string => readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /s, '');
  return orElse(() => readState().startsWith('T'), false);
}

// The host takes the debugger ports; modules preloaded for the host (instrumentation, test runners, evaluated scripts)
// don't belong in a worker, and the environment already has the variables of env files.
const hostOnly =
  /^--(?:inspect|debug-port|import|require|loader|experimental-loader|eval|print|input-type|check|interactive|watch|(?:experimental-)?test|env-file)(?:[-=]|$)|^-[a-z]+$/;
const valueFollows =
  /^(?:--(?:import|require|loader|experimental-loader|eval|print|input-type|watch-path|inspect-port|debug-port|env-file|env-file-if-exists)|-(?:r|e|p|pe))$/;
/** Yarn's preload, without which no package is found. */
const plugAndPlay = /[\\/]\.pnp\.(?:c?js|loader\.mjs)$/;

/**
 * The flags of the host's Node for its workers: memory limits, module resolution and the like, but no debugging,
 * watching, testing, evaluating or preloading.
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

/** Variables for communication with Node, its test runner and debuggers, valid only for the host. */
const hostVariable =
  /^(?:NODE_(?:INSPECT_RESUME_ON_START|TEST_CONTEXT|UNIQUE_ID|V8_COVERAGE)|VSCODE_INSPECTOR_OPTIONS|WATCH_REPORT_DEPENDENCIES)$/;

/**
 * The environment of a worker: the host's, without variables meant only for the host, and with `NODE_OPTIONS` filtered
 * by `workerExecArgv`.
 */
export function workerEnvironment(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const options = environment['NODE_OPTIONS'];
  const left = Object.keys(environment).filter((name) => hostVariable.test(name));
  return {
    GLIBC_TUNABLES: memorySettings,
    ...environment,
    ...(options && { NODE_OPTIONS: joinOptions(workerExecArgv(splitOptions(options))) }),
    // Node restores a variable that is merely omitted.
    ...Object.fromEntries(left.map((name) => [name, undefined])),
  };
}

/**
 * Splits like Node reads `NODE_OPTIONS`: double quotes keep spaces together, and a backslash in them escapes the next
 * character.
 */
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
