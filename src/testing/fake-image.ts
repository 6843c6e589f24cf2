import type { CallOptions } from '../contracts/run.ts';
import type { ImageEvent } from '../categories/image/events.ts';
import type { ImageRequest } from '../categories/image/request.ts';
import { seedOfImage } from '../categories/image/parameters.ts';
import { type FakeRun, pause } from './fake-run.ts';
import { assertScript } from './scripts.ts';

/** Images of a fake model: each is one grey pixel. */
export type FakeDrawing = FakeRun;

/** Images of a fake model, or a function that returns them. */
export type FakePainter =
  FakeDrawing | ((request: ImageRequest, options: CallOptions) => FakeDrawing | Promise<FakeDrawing>);

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
  const drawing = typeof painter === 'function' ? await painter(request, options) : painter;
  const { delayMs, error, failAfter = 0 } = assertScript('drawing', drawing);
  const { n, numInferenceSteps: steps, previews, seed = defaultSeed } = request;
  let taken = 0;
  for (let image = 0; image < n; image += 1) {
    for (let step = 1; step <= steps; step += 1) {
      await pause(delayMs, options.signal);
      if (error !== undefined && taken === failAfter) throw error;
      taken += 1;
      yield { type: 'image-step', image, step, steps, ...(previews ? { preview: greyPixel } : {}) };
    }
    yield { type: 'image', image, png: greyPixel, seed: seedOfImage(seed, image) };
  }
  if (error !== undefined) throw error;
}
