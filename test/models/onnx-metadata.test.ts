import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readOnnxMetadata } from '../../src/models/onnx-metadata.ts';
import { colourDetector } from '../runtime/colour-detector.ts';

let folder: string;
let path: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slashv1-metadata-'));
  path = join(folder, 'model.onnx');
});
afterAll(() => rm(folder, { recursive: true }));

describe('readOnnxMetadata', () => {
  it('finds the entries behind the graph', async () => {
    const metadata = { names: "{0: 'größe'}", stride: '32', empty: '', long: 'x'.repeat(1000) };
    await writeFile(path, colourDetector({ metadata }));
    expect(Object.fromEntries(await readOnnxMetadata(path))).toEqual(metadata);
  });

  it('finds none where there are none', async () => {
    await writeFile(path, colourDetector());
    expect((await readOnnxMetadata(path)).size).toBe(0);
    await writeFile(path, '');
    expect((await readOnnxMetadata(path)).size).toBe(0);
  });

  it.each([
    ['text', 'this is no model'],
    ['a number without end', Buffer.alloc(40, 0xff)],
    ['a group', Buffer.of(0x0b)],
  ])('refuses %s', async (_title, content) => {
    await writeFile(path, content);
    await expect(readOnnxMetadata(path)).rejects.toThrow(/expected an ONNX model/);
  });

  it('comes to an end with a length beyond the file', async () => {
    await writeFile(path, Buffer.of(0x3a, 0xff, 0xff, 0xff, 0x7f, 1, 2, 3));
    expect((await readOnnxMetadata(path)).size).toBe(0);
  });
});
