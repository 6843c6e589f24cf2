import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadDecoder } from '../../src/backends/onnx/chat/load-decoder.ts';
import { onnxSessions } from '../../src/backends/onnx/sessions.ts';
import { createChatTemplate } from '../../src/folder/chat-template.ts';
import { locateDecoder, openModelFolder, readJson } from '../../src/folder/model-folder.ts';
import { createTextTokenizer } from '../../src/folder/tokenizer.ts';
import { createVisionFamily } from '../../src/core/vision/families/registry.ts';
import { toTextMessage, type ChatMessage, type MessageContent } from '../../src/core/chat/messages.ts';
import type { DecoderCache } from '../../src/contracts/decoder.ts';
import { openImage } from '../../src/runtime/image.ts';
import {
  expandPlaceholders,
  placePictures,
} from '../../src/categories/chat/pipeline/vision/picture-table.ts';
import { loadVision, type ChatGraphs } from '../../src/categories/chat/pipeline/vision/load-vision.ts';
import { within } from '../tolerance.ts';

interface Golden {
  readonly pictures: readonly string[];
  readonly question: string;
  readonly promptTokens: readonly number[];
  readonly pixels: readonly { readonly numbers: number; readonly sha256: string }[];
  readonly logits: readonly number[];
}

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const bytesOf = (name: string) => readFileSync(path(`pictures/${name}`));

async function load(name: string, optimize: boolean) {
  const folder = await openModelFolder(path(`models/${name}`));
  const template = createChatTemplate(folder);
  const tokenizer = createTextTokenizer(folder);
  const spec = { id: name, source: folder.path, threads: 1, optimize };
  const inner = await loadDecoder(locateDecoder(folder.path, undefined), spec);
  const graphs = await loadVision(inner, { backend: onnxSessions, spec, folder, template, tokenizer });
  const file = readFileSync(join(folder.path, 'golden.json'), 'utf8');
  const { goldens } = JSON.parse(file) as { goldens: Record<'one' | 'three', Golden> };
  return { folder, template, tokenizer, graphs, goldens };
}

function messagesOf({ pictures, question }: Golden): ChatMessage<MessageContent>[] {
  const images = pictures.map((name) => ({ type: 'image', image: bytesOf(name) }) as const);
  return [{ role: 'user', content: [...images, { type: 'text', text: question }] }];
}

/** A number that a byte became, as that byte again. */
function toBytes(values: Float32Array, channelOf: (at: number) => number, preprocessor: Record<string, any>) {
  const { image_mean: mean, image_std: deviation } = preprocessor;
  return Uint8Array.from(values, (value, at) => {
    const channel = channelOf(at);
    return Math.round((value * deviation[channel] + mean[channel]) * 255);
  });
}

// Miniatures of real architectures with random weights; what they have to make of pictures comes from the reference
// implementation (generate/vision.py).
const names = [
  'idefics3',
  'qwen2-vl',
  'qwen2.5-vl',
  'qwen3-vl',
  'qwen3.5-vl',
  'gemma3-vision',
  'llava-onevision',
];
const cases = names.flatMap((name) => [[name, false] as const, [name, true] as const]);

describe.each(cases)('%s, optimize: %s', (name, optimize) => {
  /** Some layers keep states, which can't be cut. */
  const isHybrid = name === 'qwen3.5-vl';
  let model: Awaited<ReturnType<typeof load>>;
  beforeAll(async () => {
    model = await load(name, optimize);
  });
  afterAll(async () => {
    await model?.graphs.decoder.release();
    await model?.graphs.vision?.release();
  });

  async function promptOf(golden: Golden) {
    const messages = messagesOf(golden);
    const vision = model.graphs.vision!;
    const pictures = await vision.read(messages, undefined);
    const rendered = model.template.render(messages.map(toTextMessage), []);
    const texts = pictures.map(({ text }) => text);
    const prompt = Int32Array.from(
      model.tokenizer.encode(expandPlaceholders(rendered, texts, vision.family)),
    );
    const encoded = pictures.map((picture) => picture.encoded);
    return { prompt, fed: placePictures(prompt, encoded, vision.token), pictures };
  }

  async function logitsOf({ decoder }: ChatGraphs, tokens: Int32Array, cuts: readonly number[] = []) {
    const cache = decoder.createCache();
    let logits = new Float32Array(0);
    const ends = [...cuts, tokens.length];
    for (const [index, end] of ends.entries()) {
      const piece = tokens.subarray(ends[index - 1] ?? 0, end);
      logits = Float32Array.from(await decoder.forward(cache, piece, piece.length));
    }
    cache.release();
    return logits;
  }

  it.each(['one', 'three'] as const)(
    'makes the pixels of %s picture(s) the reference makes',
    async (count) => {
      const { folder, goldens } = model;
      const preprocessor = await readJson(folder.path, 'preprocessor_config.json');
      const family = createVisionFamily({ config: folder.config, preprocessor })!;
      for (const [index, picture] of goldens[count].pictures.entries()) {
        const { width, height, toPixels } = await openImage(bytesOf(picture), { maxPixels: 1e6 });
        const { inputs } = family.prepare({ width, height, pixels: await toPixels({ width, height }) });
        const { data, dims } = inputs['pixel_values']!;
        const plane = dims.length === 2 ? dims[1]! / 3 : dims.at(-1)! * dims.at(-2)!;
        const bytes = toBytes(data as Float32Array, (at) => Math.floor(at / plane) % 3, preprocessor);
        const sha256 = createHash('sha256').update(bytes).digest('hex');
        expect({ numbers: bytes.length, sha256 }).toEqual(goldens[count].pixels[index]);
      }
    },
  );

  it.each(['one', 'three'] as const)('has the prompt and the logits of %s picture(s)', async (count) => {
    const golden = model.goldens[count];
    const { prompt, fed, pictures } = await promptOf(golden);
    expect([...prompt]).toEqual(golden.promptTokens);
    const whole = await logitsOf(model.graphs, fed);
    const apart = Math.max(...whole.map((logit, at) => Math.abs(logit - golden.logits[at]!)));
    expect(apart).toBeLessThan(within(1e-3));
    const middle = fed.findIndex((token) => token < 0) + 2;
    const pieces = await logitsOf(model.graphs, fed, [middle, fed.length - 1]);
    expect(Math.max(...pieces.map((logit, at) => Math.abs(logit - whole[at]!)))).toBeLessThan(
      within(1e-4, 4),
    );
    model.graphs.vision!.releasePictures(pictures);
  });

  it('steps conversations about different pictures together', async () => {
    const { decoder, vision } = model.graphs;
    expect(decoder.cutsSequences).toBe(!isHybrid);
    const prompts = [await promptOf(model.goldens.three), await promptOf(model.goldens.one)];
    const caches: DecoderCache[] = [];
    const expected: Float32Array[] = [];
    for (const { fed } of prompts) {
      const cache = decoder.createCache();
      await decoder.forward(cache, fed, fed.length);
      caches.push(cache);
      expected.push(await logitsOf(model.graphs, Int32Array.of(...fed, 40, 41)));
    }
    const together = await decoder.gather(caches.map((cache) => ({ cache, row: 0 })));
    await decoder.forward(together, Int32Array.of(40, 40), 1);
    const logits = await decoder.forward(together, Int32Array.of(41, 41), 1);
    for (const [row, own] of expected.entries()) {
      const inBatch = logits.subarray(row * own.length, (row + 1) * own.length);
      expect(Math.max(...own.map((logit, at) => Math.abs(logit - inBatch[at]!)))).toBeLessThan(
        within(1e-4, 4),
      );
    }
    for (const cache of [...caches, together]) cache.release();
    vision!.releasePictures(prompts.flatMap(({ pictures }) => pictures));
  });

  if (optimize && !isHybrid)
    it('reads prompts of different lengths together, in place', async () => {
      const { decoder, vision } = model.graphs;
      expect(decoder.raggedPrompts).toBe(true);
      const [one, three] = [await promptOf(model.goldens.one), await promptOf(model.goldens.three)];
      const prompts = [three.fed, one.fed, one.fed.subarray(0, 5)];
      const expected: Float32Array[] = [];
      for (const fed of prompts) expected.push(await logitsOf(model.graphs, Int32Array.of(...fed, 40, 41)));
      const cache = decoder.createCache(prompts.length);
      const counts = prompts.map(({ length }) => length);
      const count = Math.max(...counts);
      const tokens = new Int32Array(prompts.length * count);
      for (const [row, fed] of prompts.entries()) tokens.set(fed, row * count);
      await decoder.forward(cache, tokens, count, counts);
      await decoder.forward(cache, Int32Array.of(40, 40, 40), 1);
      const logits = await decoder.forward(cache, Int32Array.of(41, 41, 41), 1);
      for (const [row, own] of expected.entries()) {
        const together = logits.subarray(row * own.length, (row + 1) * own.length);
        expect(Math.max(...own.map((logit, at) => Math.abs(logit - together[at]!)))).toBeLessThan(
          within(1e-4, 4),
        );
      }
      cache.release();
      vision!.releasePictures([...one.pictures, ...three.pictures]);
    });

  if (!isHybrid)
    it('continues a sequence that was cut at any place', async () => {
      const { decoder, vision } = model.graphs;
      const { fed, pictures } = await promptOf(model.goldens.three);
      const expected = await logitsOf(model.graphs, fed);
      const cache = decoder.createCache();
      await decoder.forward(cache, fed, fed.length);
      const lastPicture = fed.findLastIndex((token) => token < 0);
      for (const length of [fed.indexOf(-1) + 1, lastPicture, lastPicture + 1, fed.length - 1]) {
        // In place, several tokens after others are for one row alone.
        const rows = optimize ? [0] : [0, 1];
        const shared = await decoder.gather(rows.map(() => ({ cache, row: 0, length })));
        const rest = fed.subarray(length);
        const tokens = Int32Array.from(rows.flatMap(() => [...rest]));
        const logits = await decoder.forward(shared, tokens, rest.length);
        for (const row of rows) {
          const own = logits.subarray(row * expected.length, (row + 1) * expected.length);
          expect(Math.max(...own.map((logit, at) => Math.abs(logit - expected[at]!)))).toBeLessThan(
            within(1e-4, 4),
          );
        }
        shared.release();
      }
      cache.release();
      vision!.releasePictures(pictures);
    });
});
