import { randomInt } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { limitConcurrency, type Limiter } from '../../../concurrency/limit-concurrency.ts';
import type { Architecture } from '../../../contracts/architecture.ts';
import type { Pipeline } from '../../../contracts/category.ts';
import type { ModelSpec } from '../../../contracts/model.ts';
import type { SessionBackend } from '../../../contracts/sessions.ts';
import { describeImage } from '../../../core/diffusion/describe-image.ts';
import { addPngText } from '../../../core/vision/png-text.ts';
import { assertWanted, fieldError } from '../../../errors.ts';
import { encodePng } from '../../../runtime/image.ts';
import type { ImageEvent, ImageModelInfo } from '../events.ts';
import type { Painter } from '../painter.ts';
import { imageParameters } from '../parameters.ts';
import { seedOfImage } from '../parameters.ts';
import type { ImageRequest } from '../request.ts';
import type { ImageSettings } from '../settings.ts';
import { servePipeline } from '../../serve-pipeline.ts';

export async function loadImagePipeline(
  spec: ModelSpec<ImageSettings>,
  sessions: SessionBackend,
  architecture: Architecture<Painter, ImageSettings>,
): Promise<Pipeline<ImageRequest, ImageEvent, ImageModelInfo>> {
  const { maxPixels = Infinity } = spec;
  const painter = await architecture.open(spec, sessions);
  // Servers queue on their own.
  const oneByOne = limitConcurrency(sessions.hasGraphs ? 1 : Infinity);

  return servePipeline(spec, {
    /** A step uses all the model's memory and cores. */
    concurrency: 1,
    /** Between steps an image needs only its latents and prompts. */
    reserve: 7,
    info: {
      category: 'image',
      contextLength: painter.contextLength,
      created: painter.created,
    },
    async *run(request, { signal, owner }) {
      const { width, height } = request;
      if (width * height > maxPixels) {
        const param = width > height ? 'width' : 'height';
        throw fieldError(param, `expected at most ${maxPixels} pixels, got ${width} × ${height}`);
      }
      const inTurn: Limiter = async (task) => {
        // Lets abort signals arrive.
        await setImmediate();
        assertWanted(signal);
        return oneByOne(task, { signal, owner });
      };
      const painting = await painter.prepare(request, { inTurn, signal });
      const firstSeed = request.seed ?? randomInt(imageParameters.seed.max);
      for (let image = 0; image < request.n; image++) {
        const seed = seedOfImage(firstSeed, image);
        for await (const event of painting.draw(seed)) {
          if (!('pixels' in event)) {
            yield { type: 'image-step', image, ...event };
            continue;
          }
          const { scheduler, guidanceScale } = painting;
          const steps = request.numInferenceSteps;
          const text = describeImage({ ...request, seed, steps, scheduler, guidanceScale });
          const png = addPngText(await encodePng(event.pixels, request), 'parameters', text);
          yield { type: 'image', image, png, seed };
        }
      }
    },
    models: [painter],
  });
}
