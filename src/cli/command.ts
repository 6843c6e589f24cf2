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
  /** Command line → its effect. */
  readonly examples: Readonly<Record<string, string>>;
}

export interface Command extends CommandHelp {
  run(args: readonly string[], terminal: Terminal): Promise<ExitCode>;
}

export interface CommandDefinition<T extends OptionTable> extends CommandHelp {
  readonly options: T;
  run(values: OptionValues<T>, operands: readonly string[], terminal: Terminal): Promise<ExitCode>;
}

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
  /** An error outside the command line. */
  failure: 1,
  /** The command line or the config file is invalid. */
  usage: 2,
  /** Interrupted by Ctrl-C: 128 + the number of SIGINT. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCode)[keyof typeof exitCode];

/**
 * Waits for Ctrl-C, a termination signal, or a closed terminal: the command handles the first one, the second ends the
 * process immediately.
 */
export function watchInterrupts() {
  const controller = new AbortController();
  const first = new Promise<void>((resolve) => controller.signal.addEventListener('abort', () => resolve()));
  let isHungUp = false;
  const listener = (signal: NodeJS.Signals): void => {
    isHungUp ||= signal === 'SIGHUP';
    // A terminal may send it twice when it closes.
    if (controller.signal.aborted && signal !== 'SIGHUP') process.exit(exitCode.interrupted);
    controller.abort();
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, listener);
  return {
    /** Aborted by the first one. */
    signal: controller.signal as AbortSignal,
    /** Resolves with the first one. */
    first,
    /** Restores the usual effect of signals. */
    stop(): void {
      for (const signal of signals) process.off(signal, listener);
      // Without its terminal Node can't exit in any other way: it aborts.
      if (isHungUp) process.kill(process.pid, 'SIGHUP');
    },
  };
}

/** Runs work that the first Ctrl-C aborts. @returns `undefined` if it fails after that */
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
