import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');
const main = resolve(root, 'dist/lib/cli.js');

export interface CliResult {
  readonly code: number | null;
  readonly output: string;
  readonly messages: string;
}

export interface CliOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** The program; default: this checkout's. */
  readonly program?: string;
  /** Standard input; default: none. */
  readonly input?: string;
}

/** A running `slashv1`. */
export class Cli {
  output = '';
  messages = '';
  readonly #process: ChildProcess;
  readonly #closed: Promise<number | null>;

  constructor(args: readonly string[], { env = {}, cwd = root, program = main, input }: CliOptions = {}) {
    const clean = Object.fromEntries(
      Object.entries(process.env).filter(([name]) => !/^(?:HF_|SLASHV1_|HOST$|PORT$)/.test(name)),
    );
    const stdio = [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'] as const;
    this.#process = spawn(process.execPath, [program, ...args], {
      cwd,
      env: { ...clean, ...env },
      stdio: [...stdio],
    });
    this.#process.stdout!.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
    this.#process.stderr!.on('data', (chunk: Buffer) => (this.messages += chunk.toString()));
    this.#process.stdin?.on('error', () => undefined);
    this.#process.stdin?.end(input);
    this.#closed = once(this.#process, 'close').then(([code]) => code as number | null);
  }

  kill(signal: NodeJS.Signals): void {
    this.#process.kill(signal);
  }

  async end(): Promise<CliResult> {
    const code = await this.#closed;
    return { code, output: this.output, messages: this.messages };
  }

  /** Waits until something is there. */
  async until<T>(find: () => T | undefined | null | false): Promise<T> {
    const gone = this.#closed.then((code) => {
      throw new Error(`slashv1 exited with ${code}: ${this.messages}${this.output}`);
    });
    gone.catch(() => undefined);
    for (;;) {
      const found = find();
      if (found !== undefined && found !== null && found !== false) return found;
      await Promise.race([gone, new Promise((wake) => setTimeout(wake, 20))]);
    }
  }

  /** Address of a service, once it is announced. */
  async origin(): Promise<string> {
    await this.until(() => this.messages.includes('Ctrl-C ends it.'));
    return /slashv1 serves (http:\S+)\/v1/.exec(this.messages)![1]!;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#process.kill('SIGKILL');
    await this.#closed;
  }
}

/** Runs a command to its end. */
export async function runCli(args: readonly string[], options?: CliOptions): Promise<CliResult> {
  return new Cli(args, options).end();
}
