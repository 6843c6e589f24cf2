import type { CallOptions } from '../contracts/run.ts';
import type { ImageEvent } from '../categories/image/events.ts';
import type { ImageRequest } from '../categories/image/request.ts';
import { seedOfImage } from '../categories/image/parameters.ts';
import { createSteps, type FakeRun } from './fake-run.ts';
import { readScript, type Scripted } from './scripts.ts';

/** Images of a fake model: each is one grey pixel. */
export type FakeDrawing = FakeRun;

/** Images of a fake model, or a function that returns them. */
export type FakePainter = Scripted<FakeDrawing, ImageRequest>;

/** The first seed where a request has none. */
const defaultSeed = 0;

const greyPixel = Uint8Array.from(
  atob('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg=='),
  (character) => character.charCodeAt(0),
);

/** Plays what an image model would send. */
export async function* playImages(
  painter: FakePainter,
  request: ImageRequest,
  options: CallOptions,
): AsyncGenerator<ImageEvent> {
  const steps = createSteps(await readScript('drawing', painter, request, options), options.signal);
  const { n, numInferenceSteps: count, previews, seed = defaultSeed } = request;
  for (let image = 0; image < n; image += 1) {
    for (let step = 1; step <= count; step += 1) {
      await steps.step();
      yield { type: 'image-step', image, step, steps: count, ...(previews ? { preview: greyPixel } : {}) };
    }
    yield { type: 'image', image, png: greyPixel, seed: seedOfImage(seed, image) };
  }
  steps.end();
}
