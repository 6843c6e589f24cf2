import { mkdtemp, cp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { NoiseSource } from '../../../../src/core/diffusion/schedulers/scheduler.ts';
import { asking, cases, collect, openMiniature, type GoldenCase } from './miniatures.ts';
import { within } from '../../../tolerance.ts';

describe('against diffusers', () => {
  it.each(cases)('$model: $title', async (golden) => {
    let latents: Float32Array | undefined;
    const noise = replay(golden.noise);
    const pipeline = await openMiniature(
      golden.model,
      { createNoise: () => noise, onLatents: (made) => (latents = made.slice()) },
      { source: await folderOf(golden) },
    );
    onTestFinished(() => pipeline.close());
    const { prompt, negativePrompt, numInferenceSteps, guidanceScale, width, height } = golden;
    const request = asking({ prompt, negativePrompt, numInferenceSteps, guidanceScale, width, height });
    const event = (await collect(pipeline.run(request))).at(-1)!;

    expect(relativeError(latents!, golden.latents)).toBeLessThan(within(1e-4));
    const image = sharp(event.type === 'image' ? event.png : undefined);
    const pixels = await image.raw().toBuffer();
    const expected = Buffer.from(golden.pixels, 'base64');
    expect(pixels.length).toBe(expected.length);
    expect(Math.max(...pixels.map((value, index) => Math.abs(value - expected[index]!)))).toBeLessThanOrEqual(
      within(1, 100),
    );
  });
});

function replay(numbers: readonly number[]): NoiseSource {
  let at = 0;
  return (out) => {
    for (let index = 0; index < out.length; index++) out[index] = numbers[at++]!;
  };
}

/** Euclidean length of the difference over that of what is expected. */
function relativeError(got: Float32Array, expected: readonly number[]): number {
  expect(got.length).toBe(expected.length);
  const length = (values: Iterable<number>) => Math.hypot(...values);
  return length(got.map((value, index) => value - expected[index]!)) / length(expected);
}

/** A copy of the model with the scheduler of the case. */
async function folderOf({ model, scheduler }: GoldenCase): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'slashv1-image-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await cp(new URL(`miniatures/${model}`, import.meta.url), folder, { recursive: true });
  await writeFile(join(folder, 'scheduler/scheduler_config.json'), JSON.stringify(scheduler));
  return folder;
}
