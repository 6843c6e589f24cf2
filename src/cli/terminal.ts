import { fstatSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { text as readText } from 'node:stream/consumers';
import { isatty } from 'node:tty';
import { inspect } from 'node:util';
import { orElse } from '../errors.ts';

/** Standard output or standard error. */
export interface OutputStream {
  readonly isTTY: boolean;
  /** Width in characters. */
  readonly columns: number;
  readonly style: Style;
  write(text: string): void;
}

export interface Terminal {
  /** Results, possibly for a different program. */
  readonly output: OutputStream;
  /** Progress and problems, for a person. */
  readonly messages: OutputStream;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Whether a person can answer questions. */
  readonly isInteractive: boolean;
  /** Reads a line after a prompt; `undefined` at the end of the input, and after Ctrl-C. */
  readLine(prompt: string): Promise<string | undefined>;
  /** All piped input; `undefined` without a pipe. */
  readPiped(): Promise<string | undefined>;
}

const defaultColumns = 100;

export function openTerminal(): Terminal {
  const { stdin, stdout, stderr, env } = process;
  for (const stream of [stdout, stderr]) stream.on('error', leaveWithReader);
  return {
    output: toOutputStream(stdout, env),
    messages: toOutputStream(stderr, env),
    environment: env,
    isInteractive: isatty(stdin.fd) && isatty(stderr.fd),
    readLine: createLineReader(process),
    readPiped: async () => (isPiped(stdin.fd) ? readText(stdin) : undefined),
  };
}

function createLineReader({ stdin, stderr }: Pick<NodeJS.Process, 'stdin' | 'stderr'>): Terminal['readLine'] {
  let history: string[] = [];
  let piped: AsyncIterator<string> | undefined;
  return async (prompt) => {
    if (!isatty(stdin.fd)) {
      // One reader for all lines: a second one would miss buffered input.
      piped ??= createInterface({ input: stdin })[Symbol.asyncIterator]();
      const { value, done } = await piped.next();
      return done ? undefined : value;
    }
    // One reader per line: between them Ctrl-C is a signal.
    const lines = createInterface({ input: stdin, output: stderr, history });
    lines.on('history', (entries) => (history = entries));
    try {
      return await new Promise<string | undefined>((resolve) => {
        lines.once('close', () => resolve(undefined));
        lines.once('SIGINT', () => lines.close());
        void lines.question(prompt).then(resolve, () => resolve(undefined));
      });
    } finally {
      lines.close();
    }
  };
}

/** Whether a descriptor is a file or a pipe, instead of a terminal or `/dev/null`. */
function isPiped(fd: number): boolean {
  return orElse(() => !fstatSync(fd).isCharacterDevice(), false);
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

/** A reader such as `head` has exited; a closed terminal sends a signal. */
function leaveWithReader(error: NodeJS.ErrnoException): void {
  if (error.code === 'EIO') return;
  if (error.code !== 'EPIPE') throw error;
  process.exit();
}

type Paint = (text: string) => string;

const ways = ['bold', 'dim', 'red', 'green', 'yellow', 'cyan'] as const;

/** Text styles. Without color they have no effect. */
type Style = Readonly<Record<(typeof ways)[number], Paint>>;

export function createStyle(hasColor: boolean): Style {
  const paints = ways.map((way): [string, Paint] => {
    const [begin, end] = inspect.colors[way]!;
    return [way, (text) => (hasColor ? `\u001B[${begin}m${text}\u001B[${end}m` : text)];
  });
  return Object.fromEntries(paints) as Style;
}

export type Note = ReturnType<typeof createNote>;

/** A temporary line on a terminal; otherwise one line per phase. */
export function createNote({ isTTY, style, write }: OutputStream, model: string) {
  const clear = '\r\u001B[K';
  const show = (what: string): void => write(`${clear}${style.dim(`${model}: ${what}`)}`);
  return {
    begin: (what: string): void => (isTTY ? show(what) : write(`${model}: ${what}\n`)),
    update: (what: string): unknown => isTTY && show(what),
    clear: (): unknown => isTTY && write(clear),
  };
}
