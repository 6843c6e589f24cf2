import { parseOptions, type OptionTable, type OptionValues } from './options.ts';
import type { Terminal } from './terminal.ts';

export interface CommandHelp {
  /** After `slashv1`: `models list`. */
  readonly name: string;
  /** Operands after its name; `<model>…`. */
  readonly operands?: string;
  readonly summary: string;
  /** Paragraphs. */
  readonly description?: readonly string[];
  readonly options: OptionTable;
  /** Command line → what it does. */
  readonly examples: Readonly<Record<string, string>>;
}

export interface Command extends CommandHelp {
  run(args: readonly string[], terminal: Terminal): Promise<ExitCode>;
}

export interface CommandDefinition<T extends OptionTable> extends CommandHelp {
  readonly options: T;
  run(values: OptionValues<T>, operands: readonly string[], terminal: Terminal): Promise<ExitCode>;
}

/** Puts a command together: its options are parsed before it runs. */
export function defineCommand<const T extends OptionTable>(definition: CommandDefinition<T>): Command {
  return {
    ...definition,
    run(args, terminal) {
      const { values, positionals } = parseOptions(args, definition.options);
      return definition.run(values, positionals, terminal);
    },
  };
}

export const exitCode = {
  success: 0,
  /** Something outside the command line was not as it should be. */
  failure: 1,
  /** The command line itself, or the config file that it names, is wrong. */
  usage: 2,
  /** Broken off by Ctrl-C: 128 + the number of SIGINT. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCode)[keyof typeof exitCode];

/** Ctrl-C, the signal that asks a service to end, or that of a terminal that closes. */
export interface Interruption {
  /** Aborted by the first one. */
  readonly signal: AbortSignal;
  /** Resolves with the first one. */
  readonly first: Promise<void>;
  /** From now on signals have their usual effect. */
  stop(): void;
}

/** Waits for signals: the first one is for the command to heed, the second ends the process at once. */
export function watchInterrupts(): Interruption {
  const controller = new AbortController();
  const first = new Promise<void>((resolve) => controller.signal.addEventListener('abort', () => resolve()));
  let isHungUp = false;
  const listener = (signal: NodeJS.Signals): void => {
    isHungUp ||= signal === 'SIGHUP';
    // A terminal that closes may send it twice.
    if (controller.signal.aborted && signal !== 'SIGHUP') process.exit(exitCode.interrupted);
    controller.abort();
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, listener);
  return {
    signal: controller.signal,
    first,
    stop() {
      for (const signal of signals) process.off(signal, listener);
      // Without its terminal Node can't exit in any other way: it aborts.
      if (isHungUp) process.kill(process.pid, 'SIGHUP');
    },
  };
}

/** Does something that a first Ctrl-C ends. @returns `undefined` where it has failed after that */
export async function untilInterrupted<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
  const { signal, stop } = watchInterrupts();
  try {
    return await work(signal);
  } catch (error) {
    if (!signal.aborted) throw error;
    return undefined;
  } finally {
    stop();
  }
}
