import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readJson } from '../../src/models/model-folder.ts';

it.each([
  ['null', 'holds no JSON object.'],
  ['5', 'holds no JSON object.'],
  ['"text"', 'holds no JSON object.'],
  ['{', 'is not valid JSON.'],
  ['', 'is not valid JSON.'],
])('a file with %s is refused by its name', async (text, reason) => {
  const folder = await mkdtemp(join(tmpdir(), 'model-folder-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'config.json'), text);
  await expect(readJson(folder, 'config.json')).rejects.toMatchObject({
    code: 'invalid_request',
    param: 'source',
    message: `source: config.json in ${folder} ${reason}`,
  });
});
