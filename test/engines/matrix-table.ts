import { readFile, writeFile } from 'node:fs/promises';
import { format, resolveConfig } from 'prettier';

const page = new URL('../../docs/remote.md', import.meta.url);
const block = /(?<=<!-- engines -->\n)[^]*(?=<!-- \/engines -->)/;

export const columns = [
  'equal results',
  'tools',
  'log probabilities',
  'rerank',
  'image',
  'cancellation',
  'killed and restarted',
  'left mid-stream',
  'quota over two hosts',
  'rolling restart',
] as const;

/** A cell for each column that was run. */
export interface Row {
  readonly engine: string;
  readonly version: string;
  readonly cells: Readonly<Partial<Record<(typeof columns)[number], string>>>;
  /** Why none of them was run. */
  readonly missing?: string | undefined;
}

/** Writes the rows of this run; those of engines that it left out stay as they are. */
export async function writeMatrix(
  rows: readonly Row[],
  order: readonly string[],
  foot: string,
): Promise<void> {
  const text = await readFile(page, 'utf8');
  const known = new Map(
    block
      .exec(text)![0]
      .split('\n')
      .map((line) => [line.split('|')[1]?.trim(), line]),
  );
  for (const row of rows) known.set(row.engine, writeRow(row));
  const lines = [
    `| engine | version | ${columns.join(' | ')} |`,
    `| --- | --- | ${columns.map(() => '---').join(' | ')} |`,
    ...order.flatMap((name) => known.get(name) ?? []),
  ];
  const written = text.replace(block, () => `\n${lines.join('\n')}\n\n${foot}\n\n`);
  await writeFile(page, await format(written, { ...(await resolveConfig(page)), parser: 'markdown' }));
}

function writeRow({ engine, version, cells, missing }: Row): string {
  const values = columns.map((column) => (missing === undefined ? (cells[column] ?? '–') : ''));
  if (missing !== undefined) values[0] = `not run: ${missing}`;
  return `| ${[engine, version, ...values].map((value) => value.replaceAll(/[|\n]/g, ' ')).join(' | ')} |`;
}
