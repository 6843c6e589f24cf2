import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { expect, it } from 'vitest';
import { isThorough } from '../thorough.ts';
import { isNoisy } from '../tolerance.ts';

const rounds = isThorough ? 20 : 3;
/** Noise makes worse drawings. */
const leastHeld = Math.floor(rounds * (isNoisy ? 0.5 : 0.9));

it(`the tour holds in at least ${leastHeld} of ${rounds} rounds`, { timeout: 300_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'slashv1-tour-'));
  try {
    const run = promisify(execFile);
    const { stdout } = await run(process.execPath, ['examples/tour.js', String(rounds), folder]);
    const [, held] = /All steps held in (\d+) of \d+\./.exec(stdout) ?? [];
    expect(Number(held), stdout).toBeGreaterThanOrEqual(leastHeld);
    const files = await readdir(folder);
    for (const kind of ['.png', '.wav', '.txt']) {
      expect(files.filter((file) => file.endsWith(kind)).length).toBeGreaterThanOrEqual(leastHeld);
    }
    const { width, height, format } = await sharp(await readFile(join(folder, 'round-01.png'))).metadata();
    expect({ width, height, format }).toEqual({ width: 512, height: 512, format: 'png' });
  } finally {
    await rm(folder, { recursive: true });
  }
});
