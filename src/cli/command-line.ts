import { createRequire } from 'node:module';
import { didYouMean } from '../core/text/suggest.ts';
import { InferenceError } from '../errors.ts';
import { assertNodeVersion } from '../node-version.ts';
import { type Command, exitCode, type ExitCode } from './command.ts';
import { commandHelp, list } from './help.ts';
import type { OutputStream, Terminal } from './terminal.ts';
import { UsageError } from './options.ts';

export function packageVersion(): string {
  const manifest = createRequire(import.meta.url)('slashv1/package.json') as { readonly version: string };
  return manifest.version;
}

type LoadCommand = () => Promise<{ readonly command: Command }>;

/** Loaded on demand, so that help and mistakes take no time. */
const commands: Readonly<Record<string, readonly [summary: string, load: LoadCommand]>> = {
  chat: ['Talk with a model in this terminal.', () => import('./talk/chat-command.ts')],
  run: ['Print the answer to one prompt.', () => import('./talk/run-command.ts')],
  serve: ['Serve models over HTTP.', () => import('./serve/serve-command.ts')],
  'models list': ['List the downloaded models, or the catalogue.', () => import('./models/list-command.ts')],
  'models pull': ['Download models.', () => import('./models/pull-command.ts')],
  'models info': [
    'Describe a model: its category, size and parameters.',
    () => import('./models/info-command.ts'),
  ],
  'models verify': [
    'Compare models with the hashes of their files.',
    () => import('./models/verify-command.ts'),
  ],
  'models rm': ['Remove downloaded models.', () => import('./models/remove-command.ts')],
  doctor: [
    'Check this machine: Node, devices, cache, optional packages.',
    () => import('./doctor/doctor-command.ts'),
  ],
  trim: ['Remove the binaries of other platforms and devices.', () => import('./trim/trim-command.ts')],
  bench: ['Measure how fast a model is.', () => import('./bench/bench-command.ts')],
};

export async function runCommandLine(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const { style } = terminal.messages;
  let command: Command | undefined;
  try {
    assertNodeVersion();
    if (args.length === 0) {
      terminal.messages.write(`${overview(terminal.messages)}\n`);
      return exitCode.usage;
    }
    const [first, ...rest] = args;
    if (first === '--version' || first === '-V') return print(terminal, packageVersion());
    if (isHelp(first!) || (first === 'help' && rest.length === 0))
      return print(terminal, overview(terminal.output));
    const words = first === 'help' ? [...rest, '--help'] : args;
    if (isGroup(words[0]!) && (words.length === 1 || isHelp(words[1]!)))
      return print(terminal, groupHelp(words[0]!, terminal.output));
    const name = findCommand(words);
    ({ command } = await commands[name]![1]());
    const operands = words.slice(name.split(' ').length);
    if (asksForHelp(operands)) return print(terminal, commandHelp(command, terminal.output));
    return await command.run(operands, terminal);
  } catch (error) {
    terminal.messages.write(`${style.red('slashv1:')} ${describe(error)}\n`);
    if (!(error instanceof UsageError)) return exitCode.failure;
    const help = ['slashv1', command?.name, '--help'].filter(Boolean).join(' ');
    terminal.messages.write(`${style.dim(`Run ${help} for help.`)}\n`);
    return exitCode.usage;
  }
}

function print(terminal: Terminal, text: string): ExitCode {
  terminal.output.write(`${text}\n`);
  return exitCode.success;
}

/** @throws UsageError */
function findCommand([first, second]: readonly string[]): string {
  if (first!.startsWith('-'))
    throw new UsageError(`There is no option ${first}.${didYouMean(first!, ['--help', '--version'])}`);
  const known = Object.keys(commands);
  const both = `${first} ${second}`;
  const asked = isGroup(first!) || Object.hasOwn(commands, both) ? both : first!;
  if (Object.hasOwn(commands, asked)) return asked;
  // `slashv1 pull` isn't a command, but its meaning is obvious.
  const inGroup = known.find((name) => name.endsWith(` ${asked}`));
  const hint = inGroup ? ` Did you mean ${inGroup}?` : didYouMean(asked, [...known, 'models']);
  throw new UsageError(`There is no command ${asked}.${hint}`);
}

/** Whether a word is only a command with the next one. */
function isGroup(word: string): boolean {
  if (Object.hasOwn(commands, word)) return false;
  return Object.keys(commands).some((name) => name.startsWith(`${word} `));
}

function isHelp(word: string): boolean {
  return word === '--help' || word === '-h';
}

function asksForHelp(operands: readonly string[]): boolean {
  const end = operands.indexOf('--');
  return (end < 0 ? operands : operands.slice(0, end)).some(isHelp);
}

function overview(stream: OutputStream): string {
  const { style } = stream;
  return [
    `${style.bold('slashv1')} ${packageVersion()}: the /v1 inference API on ONNX models, on this machine`,
    `${style.bold('Usage:')} slashv1 <command> [options]`,
    list('Commands', commandRows(''), stream),
    list('Options', options, stream),
    list('Environment', environment, stream),
    `${style.dim('slashv1 serve')} serves the bundled models; ${style.dim('slashv1 <command> --help')} shows the options of a command.`,
  ].join('\n\n');
}

const options = [
  ['-h, --help', 'Show this page; after a command, its own.'],
  ['-V, --version', 'Show the version.'],
] as const;

const environment = [
  ['SLASHV1_API_KEY', 'The key of `serve`, unless an option gives one.'],
  ['HOST, PORT', 'Address and port of `serve`, unless an option gives them.'],
  ['SLASHV1_CACHE, HF_HUB_CACHE', 'Folder of downloaded models.'],
  ['SLASHV1_OFFLINE', '1: use only downloaded models.'],
  ['SLASHV1_ONNXRUNTIME_LIBRARY', 'Another library of ONNX Runtime, or its folder.'],
  ['HF_ENDPOINT, HF_TOKEN', 'Address of Hugging Face or a mirror, and your token there.'],
  ['NO_COLOR', 'Not empty: no colors.'],
] as const;

function groupHelp(group: string, stream: OutputStream): string {
  const usage = `${stream.style.bold('Usage:')} slashv1 ${group} <command> [options]`;
  return [usage, list('Commands', commandRows(`${group} `), stream)].join('\n\n');
}

function commandRows(prefix: string): readonly [name: string, summary: string][] {
  const shown = Object.entries(commands).filter(([name]) => name.startsWith(prefix));
  return shown.map(([name, [summary]]) => [name, summary]);
}

/** Only unexpected errors need a stack trace. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isForeseen =
    error instanceof UsageError || InferenceError.isInstance(error) || 'syscall' in error || 'errno' in error;
  return isForeseen ? error.message : (error.stack ?? error.message);
}
