import { createInterface } from 'node:readline/promises';
import { isatty } from 'node:tty';

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

type Paint = (text: string) => string;

/** Ways to set off text; each leaves it as it is where there is no colour. */
interface Style {
  readonly bold: Paint;
  readonly dim: Paint;
  readonly red: Paint;
  readonly green: Paint;
  readonly yellow: Paint;
  readonly cyan: Paint;
}

/** @see https://www.ecma-international.org/publications-and-standards/standards/ecma-48/ section 8.3.117 */
export function createStyle(hasColor: boolean): Style {
  const between =
    (begin: number, end: number): Paint =>
    (text) =>
      hasColor ? `\u001B[${begin}m${text}\u001B[${end}m` : text;
  return {
    bold: between(1, 22),
    dim: between(2, 22),
    red: between(31, 39),
    green: between(32, 39),
    yellow: between(33, 39),
    cyan: between(36, 39),
  };
}
