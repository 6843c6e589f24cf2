import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { root } from './code-blocks.ts';

const page = readFileSync(join(root, 'docs/guides/troubleshooting.md'), 'utf8').split(
  '\n## Wrong or slow',
)[0]!;

/** Pieces of text that the source prints, between what it fills in; three letters or more. */
const pieces = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .flatMap((path) => literalsOf(readFileSync(join(root, 'src', path), 'utf8')))
  .filter((piece) => piece.length > 2);

function literalsOf(source: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)) {
      found.push(node.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('source.ts', source, ts.ScriptTarget.Latest, true));
  return found;
}

/** Messages of npm, Node and the operating system. */
const foreign =
  /^(?:npm |EMFILE: |samplers\.toSorted |getaddrinfo |Cannot (?:find|use) |Could not load the "sharp" |killed by )/;

const messages = page
  .split('\n')
  .filter((line) => /^\| (?:\d{3} )?`/.test(line))
  .flatMap((line) =>
    [...line.split(' | ')[0]!.matchAll(/``(.+?)``|`([^`]+)`/g)].map((one) => one[1] ?? one[2]!),
  )
  .filter((message) => !foreign.test(message) && message.includes(' '));

/** Words of a message that no text of the source has, alone with what is filled in or beside two others. */
function unknownWords(message: string): string[] {
  const known = new Set<number>();
  const learn = (text: string): void => {
    for (let at = message.indexOf(text); at !== -1; at = message.indexOf(text, at + 1)) {
      for (let index = at; index < at + text.length; index++) known.add(index);
    }
  };
  for (const piece of pieces) if (piece.trim().length > 2) learn(piece.trim());
  const words = message.split(' ');
  for (let start = 0; start + 3 <= words.length; start++) {
    const three = words.slice(start, start + 3).join(' ');
    if (pieces.some((piece) => piece.includes(three))) learn(three);
  }
  // Names, numbers and quotes are filled in; so are a host, the name of its error and a category.
  return [...message.matchAll(/\S+/g)]
    .filter(([word]) => !/["…\d]|^[\w.[\]]+:$|^(?:huggingface\.co|\(ENOTFOUND\),|embedding,)$/.test(word))
    .filter(({ 0: word, index }) => [...word].some((_, offset) => !known.has(index + offset)))
    .map(([word]) => word);
}

it('lists at least twenty messages', () => {
  expect(messages.length).toBeGreaterThanOrEqual(20);
});

it.each(messages)('%s is a message of the source', (message) => {
  expect(unknownWords(message)).toEqual([]);
});

it('a message whose words have changed is noticed', () => {
  expect(unknownWords('The API key is not valid any more.')).not.toEqual([]);
});
