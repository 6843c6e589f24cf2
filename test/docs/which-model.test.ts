import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from './code-blocks.ts';

const rows = (page: string): string[][] =>
  readFileSync(join(root, page), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) => line.split('|').map((cell) => cell.trim()));

const choices = rows('docs/which-model.md').filter((cells) => /^`.*`$/.test(cells[2]!));

it('recommends models', () => expect(choices.length).toBeGreaterThan(10));

it.each(choices.map((cells) => [cells[2]!, cells] as const))(
  '%s has the memory and the license that the catalogue says',
  (name, [, , , memory, license]) => {
    const entry = rows('docs/models.md').find((cells) => cells[1] === name);
    expect([entry?.[6], entry?.[3]]).toEqual([memory, license]);
  },
);
