import { cp, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { readClipTokenizer } from '../../src/categories/image/architectures/stable-diffusion/clip-tokenizer.ts';
import { openDiffusionFolder } from '../../src/categories/image/architectures/stable-diffusion/diffusion-folder.ts';
import { locateModel } from '../../src/folder/source.ts';

const miniatures = new URL('../categories/image/pipeline/miniatures/', import.meta.url).pathname;
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slashv1-diffusion-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await cp(join(miniatures, 'sdxl'), folder, { recursive: true });
});

const remove = (path: string) => rm(join(folder, path), { recursive: true });
const write = (path: string, content: object) => writeFile(join(folder, path), JSON.stringify(content));

describe('openDiffusionFolder', () => {
  it('finds every part', async () => {
    expect(locateModel(folder)).toBe(folder);
    const opened = await openDiffusionFolder(folder);
    expect(opened.denoiser).toMatchObject({ name: 'unet', graph: join(folder, 'unet/model.onnx') });
    expect(opened.textEncoders.map(({ name }) => name)).toEqual(['text_encoder', 'text_encoder_2']);
    expect(opened.textEncoders.map(({ tokenizer }) => tokenizer.padId)).toEqual([523, 0]);
    expect(opened.decoder.config).toMatchObject({ scaling_factor: 0.13025 });
    expect(opened.scheduler).toMatchObject({ _class_name: 'EulerDiscreteScheduler' });
    expect(opened.created).toBeGreaterThan(0);
  });

  it('finds a transformer', async () => {
    const { denoiser } = await openDiffusionFolder(join(miniatures, 'sd3'));
    expect(denoiser.name).toBe('transformer');
  });

  it.each(['vae/decoder', 'vae'])('finds a decoder in %s', async (place) => {
    await mkdir(join(folder, 'vae'));
    await rename(join(folder, 'vae_decoder/config.json'), join(folder, 'vae/config.json'));
    await mkdir(join(folder, place), { recursive: true });
    await rename(join(folder, 'vae_decoder/model.onnx'), join(folder, place, 'decoder.onnx'));
    const { decoder } = await openDiffusionFolder(folder);
    expect(decoder.graph).toBe(join(folder, place, 'decoder.onnx'));
    expect(decoder.config).toMatchObject({ scaling_factor: 0.13025 });
  });

  it.each([
    ['model_index.json', /model_index\.json is missing/],
    ['unet/model.onnx', /unet\/model\.onnx/],
    ['vae_decoder', /vae_decoder\/model\.onnx, vae\/decoder\/model\.onnx/],
    ['text_encoder_2', /text_encoder_2\/model\.onnx/],
    ['tokenizer_2/vocab.json', /vocab\.json is missing in .*tokenizer_2/],
    ['tokenizer/merges.txt', /expected tokenizer\.json or merges\.txt/],
    ['scheduler', /scheduler_config\.json is missing/],
  ])('says that %s is missing', async (path, message) => {
    await remove(path);
    await expect(openDiffusionFolder(folder)).rejects.toThrow(message);
  });

  it.each([
    [{ unet: [null, null] }, /no unet and no transformer/],
    [{ text_encoder: undefined, text_encoder_2: undefined }, /no text_encoder/],
    [{ requires_aesthetics_score: true }, /refiner/],
    [{ text_encoder_3: ['transformers', 'T5EncoderModel'] }, /T5/],
  ])('refuses %j', async (change, message) => {
    const { index } = await openDiffusionFolder(folder);
    await write('model_index.json', { ...index, ...change });
    await expect(openDiffusionFolder(folder)).rejects.toThrow(message);
  });
});

describe('readClipTokenizer', () => {
  const idsOf = async (text: string) => (await readClipTokenizer(join(folder, 'tokenizer'))).encode(text);

  it('reads vocab.json and merges.txt', async () => {
    const tokenizer = await readClipTokenizer(join(folder, 'tokenizer'));
    expect(tokenizer).toMatchObject({ startId: 522, endId: 523, padId: 523, windowLength: 77 });
    // Spaces and case are the same to it: "a", "red", "circle".
    expect(await idsOf('A red\n  CIRCLE')).toEqual([320, 513, 518]);
    expect(await idsOf('')).toEqual([]);
  });

  it('takes tokens from special_tokens_map.json, with a limit for texts without one', async () => {
    await write('tokenizer/tokenizer_config.json', { model_max_length: 1e30 });
    await write('tokenizer/special_tokens_map.json', { pad_token: { content: '!' } });
    expect(await readClipTokenizer(join(folder, 'tokenizer'))).toMatchObject({
      padId: 0,
      endId: 523,
      windowLength: 77,
    });
  });

  it('refuses a token that is not in the vocabulary', async () => {
    await write('tokenizer/tokenizer_config.json', { pad_token: '<pad>' });
    await expect(readClipTokenizer(join(folder, 'tokenizer'))).rejects.toThrow(
      '<pad> is not in the vocabulary',
    );
  });
});
