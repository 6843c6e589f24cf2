import type { CommandHelp } from './command.ts';
import type { Option } from './options.ts';
import type { OutputStream } from './terminal.ts';

/** Longer lines are hard to read. */
const widestColumns = 100;

export function commandHelp(command: CommandHelp, { columns, style }: OutputStream): string {
  const { name, operands, summary, description = [], options, examples } = command;
  const width = Math.min(columns, widestColumns);
  const usage = ['slashv1', name, operands, '[options]'].filter(Boolean).join(' ');
  const paragraphs = [summary, ...description].map((text) => wrap(text, width, ''));
  const optionRows = [...Object.entries(options).map(toRow), ['-h, --help', 'Show this page.'] as const];
  return [
    `${style.bold('Usage:')} ${usage}`,
    ...paragraphs,
    list('Options', optionRows, { columns: width, style }),
    section(
      'Examples',
      Object.entries(examples)
        .map(([line, what]) => `  ${style.dim(`# ${what}`)}\n  ${line}`)
        .join('\n\n'),
      style.bold,
    ),
  ].join('\n\n');
}

/** Terms with aligned explanations. */
export function definitions(
  rows: readonly (readonly [term: string, meaning: string])[],
  columns: number,
  paint: (text: string) => string,
): string {
  const widest = Math.min(32, Math.max(...rows.map(([term]) => term.length)));
  const indent = ' '.repeat(widest + 4);
  return rows
    .map(([term, meaning]) => {
      const text = wrap(meaning, columns, indent);
      const isLong = term.length > widest;
      const gap = isLong ? `\n${indent}` : ' '.repeat(widest - term.length + 2);
      return `  ${paint(term)}${gap}${text.trimStart()}`;
    })
    .join('\n');
}

/** A section of terms with explanations. */
export function list(
  title: string,
  rows: Parameters<typeof definitions>[0],
  { columns, style }: Pick<OutputStream, 'columns' | 'style'>,
): string {
  return section(title, definitions(rows, columns, style.cyan), style.bold);
}

export function section(title: string, content: string, paint: (text: string) => string): string {
  return `${paint(`${title}:`)}\n${content}`;
}

/** Breaks a text into lines, each after `indent`. */
function wrap(text: string, columns: number, indent: string): string {
  const width = Math.max(24, columns - indent.length);
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].map((one) => indent + one).join('\n');
}

function toRow([name, [value, description, short]]: [string, Option]): [string, string] {
  const dashes = short === undefined ? `    --${name}` : `-${short}, --${name}`;
  return [`${dashes} ${value}`.trimEnd(), description];
}
