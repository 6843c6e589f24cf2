import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const page = readFileSync('docs/guides/troubleshooting.md', 'utf8').split('\n## Wrong or slow')[0]!;
const source = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => readFileSync(`src/${path}`, 'utf8'))
  .join('\n');

/** Messages of npm, Node and the operating system. */
const foreign = /^`?(?:npm |Cannot (?:find|use) |killed by )/;

const messages = page
  .split('\n')
  .filter((line) => /^\| (?:\d{3} )?`/.test(line))
  .map((line) =>
    line
      .split(' | ')[0]!
      .replace(/^\| (?:\d{3} )?/, '')
      .trim(),
  )
  .filter((message) => !foreign.test(message));

it('lists at least twenty messages', () => {
  expect(messages.length).toBeGreaterThanOrEqual(20);
});

it.each(messages)('%s is a message of the source', (message) => {
  const words = message.replace(/^`+|`+$/g, '').split(' ');
  const phrases = words.slice(2).map((_, end) => words.slice(end, end + 3).join(' '));
  expect(phrases.filter((phrase) => source.includes(phrase))).not.toEqual([]);
});
