import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { unpackedPath } from '../../src/runtime/unpacked-path.ts';

const folder = mkdtempSync(join(tmpdir(), 'slashv1-unpacked-'));
afterAll(() => rmSync(folder, { recursive: true }));
for (const name of ['app.asar.unpacked/model', 'plain.asar/model'])
  mkdirSync(join(folder, name), { recursive: true });

it.each([
  ['a folder beside the archive', 'app.asar/model', 'app.asar.unpacked/model'],
  ['what is outside already', 'app.asar.unpacked/model', 'app.asar.unpacked/model'],
  ['a folder that only looks like an archive', 'plain.asar/model', 'plain.asar/model'],
  ['what the packager left in the archive', 'app.asar/other', 'app.asar/other'],
])('finds %s', (_name, path, expected) => {
  expect(unpackedPath(join(folder, path))).toBe(join(folder, expected));
});
