import { createInterface } from 'node:readline/promises';
import { isatty } from 'node:tty';
import { createStyle, type Style } from './style.ts';

/** Standard output or standard error. */
export interface OutputStream {
  readonly isTTY: boolean;
  /** Width of a line, in characters. */
  readonly columns: number;
  readonly style: Style;
  write(text: string): void;
}

/** Input and output of a command. */
export interface Terminal {
  /** Results, which another program may read. */
  readonly output: OutputStream;
  /** Progress and problems, for a person. */
  readonly messages: OutputStream;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Whether a person can be asked. */
  readonly isInteractive: boolean;
  /** Asks the person; an empty answer where the input ends. */
  ask(question: string): Promise<string>;
}

const defaultColumns = 100;

/** The terminal of this process. */
export function openTerminal(): Terminal {
  const { stdin, stdout, stderr, env } = process;
  for (const stream of [stdout, stderr]) stream.on('error', leaveWithReader);
  return {
    output: toOutputStream(stdout, env),
    messages: toOutputStream(stderr, env),
    environment: env,
    isInteractive: isatty(stdin.fd) && isatty(stderr.fd),
    async ask(question) {
      const lines = createInterface({ input: stdin, output: stderr });
      try {
        return await new Promise<string>((resolve) => {
          lines.once('close', () => resolve(''));
          lines.once('SIGINT', () => lines.close());
          void lines.question(question).then(resolve, () => resolve(''));
        });
      } finally {
        lines.close();
      }
    },
  };
}

function toOutputStream(
  stream: typeof process.stdout | typeof process.stderr,
  environment: Terminal['environment'],
): OutputStream {
  const isTTY = isatty(stream.fd);
  return {
    isTTY,
    get columns() {
      return stream.columns || defaultColumns;
    },
    style: createStyle(isTTY && !environment['NO_COLOR'] && environment['TERM'] !== 'dumb'),
    write(text) {
      stream.write(text);
    },
  };
}

/** A reader such as `head` has seen enough. */
function leaveWithReader(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
}
