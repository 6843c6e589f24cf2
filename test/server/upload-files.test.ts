import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { newUploadPath, sweepUploads } from '../../src/server/upload.ts';

it('removes uploads that are older than a day, and nothing else', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'slashv1-test-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const [old, young] = [newUploadPath(directory), newUploadPath(directory)];
  const foreign = join(directory, 'report.wav');
  for (const path of [old, young, foreign]) await writeFile(path, 'x');
  const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000);
  await utimes(old, hoursAgo(25), hoursAgo(25));
  await utimes(foreign, hoursAgo(99), hoursAgo(99));
  await utimes(young, hoursAgo(23), hoursAgo(23));
  await sweepUploads(directory);
  expect((await readdir(directory)).map((name) => join(directory, name)).sort()).toEqual(
    [young, foreign].sort(),
  );
});

it('minds no directory that is missing', async () => {
  await expect(sweepUploads(join(tmpdir(), 'slashv1-there-is-none'))).resolves.toBeUndefined();
});
