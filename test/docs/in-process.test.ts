import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from './code-blocks.ts';

const page = readFileSync(join(root, 'docs/in-process.md'), 'utf8');
const files = readdirSync(join(root, 'src/categories'), { recursive: true, encoding: 'utf8' })
  .filter((path) => /^\w+.events\.ts$/.test(path))
  .map((path) => [path, readFileSync(join(root, 'src/categories', path), 'utf8')] as const);

const named = (source: string, pattern: RegExp): string[] =>
  [...source.matchAll(pattern)].map(([, name]) => name!).filter((name) => !page.includes(`\`${name}`));

describe('docs/in-process.md', () => {
  it.each(files)('has all events, their fields and all types of %s', (_path, source) => {
    expect(named(source, /readonly type: '([a-z-]+)'/g)).toEqual([]);
    expect(named(source, /^export (?:type|interface) (\w+)/gm)).toEqual([]);
    const events = source.slice(source.search(/^export type \w+Event\b/m));
    expect(named(events.split('\n/**')[0]!, /readonly (?!type\b)(\w+)\??:/g)).toEqual([]);
  });

  it('has all options of a call', () => {
    const run = readFileSync(join(root, 'src/contracts/run.ts'), 'utf8');
    const [options] = /export interface CallOptions \{[^]*?^\}/m.exec(run)!;
    expect(named(options, /^ {2}readonly (\w+)/gm)).toEqual([]);
  });
});
