import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { NoiseSource } from '../../src/core/diffusion/schedulers/scheduler.ts';
import { asking, collect, openPainter, type GoldenCase } from '../categories/image/pipeline/miniatures.ts';
import { within } from '../tolerance.ts';

/** Stable Diffusion 1.5 and XL as optimum exports them, the weights of the UNets in files of their own. */
describe.each(['sd', 'sdxl'])('%s of optimum', (name) => {
  const folder = new URL(`models/${name}`, import.meta.url).pathname;

  it('draws what diffusers draws', async () => {
    const { case: golden } = JSON.parse(await readFile(join(folder, 'golden.json'), 'utf8')) as {
      readonly case: GoldenCase;
    };
    let latents: Float32Array | undefined;
    const pipeline = await openPainter(
      { id: name, source: folder },
      {
        createNoise: () => replay(golden.noise),
        onLatents: (made) => (latents = made.slice()),
      },
    );
    onTestFinished(() => pipeline.close());
    const { prompt, negativePrompt, numInferenceSteps, guidanceScale, width, height } = golden;
    const request = asking({ prompt, negativePrompt, numInferenceSteps, guidanceScale, width, height });
    const event = (await collect(pipeline.run(request))).at(-1)!;

    expect(latents).toHaveLength(golden.latents.length);
    const scale = Math.max(...golden.latents.map(Math.abs));
    expect(greatestDifference(latents!, golden.latents) / scale).toBeLessThan(within(1e-4));
    const pixels = await sharp(event.type === 'image' ? event.png : undefined)
      .raw()
      .toBuffer();
    const expected = Buffer.from(golden.pixels, 'base64');
    expect(pixels).toHaveLength(expected.length);
    expect(greatestDifference(pixels, expected)).toBeLessThanOrEqual(within(1, 100));
  });
});

function replay(numbers: readonly number[]): NoiseSource {
  let at = 0;
  return (out) => {
    for (let index = 0; index < out.length; index++) out[index] = numbers[at++]!;
  };
}

function greatestDifference(got: Iterable<number>, expected: ArrayLike<number>): number {
  return Math.max(...Array.from(got, (value, index) => Math.abs(value - expected[index]!)));
}
