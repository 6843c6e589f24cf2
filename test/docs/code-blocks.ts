import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';

export const root = resolve(import.meta.dirname, '../..');

/** A piece of code in a page, with what the comment right before it says about running it. */
export interface CodeBlock {
  /** Path of the page in the repository and the line of the fence. */
  readonly place: string;
  readonly page: string;
  readonly line: number;
  readonly language: string;
  readonly code: string;
  /** Of `<!-- not run: reason -->`. */
  readonly notRun: string | undefined;
  /** `<!-- continues -->`: runs after the blocks of its language that came before it in the page. */
  readonly continues: boolean;
  /** Of `<!-- serves: /v1 -->`: it goes on until it is ended, and answers below that path meanwhile. */
  readonly serves: string | undefined;
  /** Of `<!-- file: server.js -->`: what follows in the page finds it under that name. */
  readonly file: string | undefined;
}

/** The README and every page below `docs` that is written by hand or by a script of the tests. */
export function pages(): string[] {
  const below = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' });
  const documents = below.filter((path) => path.endsWith('.md'));
  return ['README.md', ...documents.map((path) => join('docs', path)).sort()];
}

const fence =
  /(?:^<!--(?<remark>(?:(?!-->)[^])*)-->\n+)?^(?<ticks>`{3,})(?<language>\w+)\n(?<code>[^]*?)^\k<ticks>$/gm;

/** The blocks of a page that name a language. */
export function readCodeBlocks(page: string): CodeBlock[] {
  const text = readFileSync(join(root, page), 'utf8');
  return [...text.matchAll(fence)].map((match) => {
    const { remark = '', language, code } = match.groups as Record<string, string>;
    const line = text.slice(0, match.index + match[0].indexOf('```')).split('\n').length;
    const said = (key: string): string | undefined =>
      new RegExp(`^\\s*${key}: *([^]*)$`).exec(remark)?.[1]?.trim().replaceAll(/\s+/g, ' ');
    return {
      place: `${relative(root, join(root, page))}:${line}`,
      page,
      line,
      language: language!,
      code: code!,
      notRun: said('not run'),
      continues: remark.trim() === 'continues',
      serves: said('serves'),
      file: said('file'),
    };
  });
}

/** All blocks of all pages. */
export function allCodeBlocks(): CodeBlock[] {
  return pages().flatMap(readCodeBlocks);
}

/** The code of a block with what it continues. */
export function wholeCode(block: CodeBlock, blocks: readonly CodeBlock[]): string {
  if (!block.continues) return block.code;
  const before = blocks.filter(
    (other) => other.page === block.page && other.language === block.language && other.line < block.line,
  );
  const previous = before.at(-1);
  if (previous === undefined) throw new Error(`${block.place} continues nothing`);
  return `${wholeCode(previous, blocks)}\n${block.code}`;
}
