import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Turns of speech that technical English hardly has, each with what to write in place of it. */
export const turns: readonly (readonly [pattern: string, better: string])[] = [
  ['those (?:of|that|who|which|in|with|whose)', 'name the noun: "the tokens of", "callers that"'],
  ['left out|leaves? out', 'omitted, skipped, optional'],
  ['(?:the )?ones? that', 'name the noun'],
  ['where (?:it|there|that|they|an?|one|none|no)', 'if, when, unless'],
  ['nobody|somebody|whoever|whose', 'the caller, the client, no request'],
  ['said|says?', 'reports, specifies, means; or drop it'],
  ['stands? (?:for|in|at|alone|twice|here|there)', 'represents, is in'],
  ['beside', 'next to, with, compared with'],
  ['at once', 'immediately; simultaneously; in one batch'],
  ['of its own', 'its own, separate, dedicated'],
  ['so many', 'that many, up to'],
  ['goes on|go on', 'continues'],
  ['knows?', 'has, is aware of, supports'],
  ['is told|are told|tells?', 'is notified, reports, distinguishes'],
  ['(?:gives?|given|gave) (?:back|out|up|away|in)', 'returns, aborts'],
  ['anew', 'again'],
  ['as far as', 'up to, until'],
  ['under way', 'in progress, running'],
  ['but for', 'except'],
  ['alike', 'both'],
  ['tells? (?:\\w+ )?apart', 'distinguishes'],
  ['what (?:is|has|was|are|comes|stands|it|they|a|the)', 'name the noun'],
  ['who (?:has|is|comes|asks|wants|waits|may|can)', 'the caller that'],
  ['(?:asks?|asked) for', 'requests'],
  ['by itself', 'on its own, automatically'],
  ['come[s]? (?:in|from|with|out|by|first|last)', 'arrives, is'],
  ['such (?:a|an) |no such', 'that kind of; unknown'],
  ['another', 'a different, a second, the next'],
  ['others?', 'name the noun'],
  ['none', 'no TOKEN, undefined, 0'],
];

const patterns = turns.map(([pattern, better]) => ({
  pattern: new RegExp(`\\b(?:${pattern})\\b`, 'gi'),
  better,
}));
const names = /\b(?:most|longest|least|usual|deepest|fewest|largest|shortest|farthest)[A-Z]\w*/g;

export interface Place {
  readonly file: string;
  readonly text: string;
  readonly better: string;
}

export interface English {
  readonly words: number;
  readonly places: readonly Place[];
}

/** Turns for each 10,000 words. */
export function rateOf({ words, places }: English): number {
  return Math.round((10_000 * places.length) / Math.max(1, words));
}

const root = join(import.meta.dirname, '../..');

function filesBelow(folder: string, ending: RegExp): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => join(folder, file).replaceAll('\\', '/'))
    .filter((file) => ending.test(file));
}

export const sources = ['src', 'adapters'].flatMap((folder) => filesBelow(folder, /\.(?:ts|js)$/));
export const pages = [
  ...filesBelow('docs', /\.md$/).filter((file) => !/docs\/(?:endpoints|licences)/.test(file)),
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
];

const read = (file: string): string => readFileSync(join(root, file), 'utf8');

/** The prose of a page or of comments: without code and the frames of tables. */
function proseOf(text: string): string {
  return text
    .replace(/```[^]*?```/g, ' ')
    .replace(/`[^`]*`/g, ' X ')
    .replace(/<!--[^]*?-->/g, ' ')
    .replace(/^\|.*\|\s*$/gm, (row) => row.replaceAll('|', ' . '));
}

function commentsOf(code: string): string {
  return [...code.matchAll(/\/\*\*?([^]*?)\*\/|(?<![:'"`/\\])\/\/([^\n]*)/g)]
    .map(([, block, line]) => (block ?? line!).replace(/\n\s*\*\s?/g, '\n'))
    .join('\n\n');
}

export function englishOf(files: readonly string[]): English {
  const places: Place[] = [];
  let words = 0;
  for (const file of files) {
    const prose = proseOf(file.endsWith('.md') ? read(file) : commentsOf(read(file)));
    words += prose.match(/[A-Za-z][A-Za-z'-]*/g)?.length ?? 0;
    for (const { pattern, better } of patterns)
      for (const { index } of prose.matchAll(pattern)) {
        const text = prose.slice(Math.max(0, index - 40), index + 50).replaceAll('\n', ' ');
        places.push({ file, text, better });
      }
  }
  return { words, places };
}

/** Names of numbers that should begin with `max`, `min` or `default`. */
export function oddNames(): string[] {
  const found = sources.flatMap(
    (file) =>
      read(file)
        .replace(/\/\*[^]*?\*\//g, '')
        .match(names) ?? [],
  );
  return [...new Set(found)].toSorted();
}
