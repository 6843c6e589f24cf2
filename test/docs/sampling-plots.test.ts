import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { drawPlots } from '../../docs/guides/sampling/plots.js';

const folder = new URL('../../docs/guides/sampling/', import.meta.url);
const plots = [...drawPlots()];

describe('docs/guides/sampling', () => {
  it.each(plots)('%s is what the samplers do', async (name, svg) => {
    expect(await readFile(new URL(name, folder), 'utf8')).toBe(svg);
  });

  it('has no other pictures, and the guide shows all of them', async () => {
    const names = (await readdir(folder)).filter((name) => name.endsWith('.svg'));
    expect(names.sort()).toEqual(plots.map(([name]) => name).sort());
    const guide = await readFile(new URL('../sampling.md', folder), 'utf8');
    for (const name of names) expect(guide).toContain(`](sampling/${name})`);
  });
});
