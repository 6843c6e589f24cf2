import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { locateDecoder, openModelFolder } from '../../src/models/model-folder.ts';
import { bundledModels, locateModel } from '../../src/models/source.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slashv1-source-'));
});
afterAll(() => rm(folder, { recursive: true }));

describe('locateModel', () => {
  it.each(bundledModels)('finds the bundled model %s', (name) =>
    expect(basename(locateModel(name))).toBe(name),
  );

  it('finds a folder with a config', async () => {
    expect(() => locateModel(folder)).toThrow(expect.objectContaining({ param: 'source' }));
    await writeFile(join(folder, 'config.json'), '{}');
    expect(locateModel(folder)).toBe(folder);
  });

  it('says what was looked for', () => {
    expect(() => locateModel('no/such-model')).toThrow(
      /bundled models \(tiny-chat, .*\).*"no\/such-model".*looked in/,
    );
  });
});

describe('openModelFolder', () => {
  it('names the file that is missing or broken', async () => {
    await expect(openModelFolder(folder)).rejects.toThrow('tokenizer.json is missing');
    await writeFile(join(folder, 'tokenizer.json'), '{ broken');
    await expect(openModelFolder(folder)).rejects.toThrow('tokenizer.json in');
  });

  it('reads templates from their own file, from the config, and by name', async () => {
    await writeFile(join(folder, 'tokenizer.json'), '{}');
    const named = [
      { name: 'default', template: 'a' },
      { name: 'tool_use', template: 'b' },
    ];
    await writeFile(join(folder, 'tokenizer_config.json'), JSON.stringify({ chat_template: named }));
    expect((await openModelFolder(folder)).chatTemplate).toEqual({ default: 'a', tool_use: 'b' });
    await writeFile(join(folder, 'tokenizer_config.json'), JSON.stringify({ chat_template: 'c' }));
    expect((await openModelFolder(folder)).chatTemplate).toBe('c');
    await writeFile(join(folder, 'chat_template.jinja'), 'd');
    expect((await openModelFolder(folder)).chatTemplate).toBe('d');
  });

  it('lists the places of a graph that is missing', () => {
    expect(() => locateDecoder(folder)).toThrow('onnx/model.onnx, onnx/decoder_model_merged.onnx');
  });
});
