import { imageParameters } from '../parameters.ts';
import type { ImageEvent } from '../../contract.ts';
import { readJson } from '../../../server/body.ts';
import { findModel } from '../../../server/call.ts';
import { eventStreamResponse } from '../../../server/event-stream-response.ts';
import { jsonResponse } from '../../../server/responses.ts';
import type { Route } from '../../../server/route.ts';
import { collectRun, startRun, type Run } from '../../../server/run.ts';
import { toFrame } from '../../../server/sse.ts';
import { fromImageRequest } from './from-request.ts';
import { imageEventSchema, imageRequestSchema, imageResponseSchema } from './schema.ts';
import { toImageStreamEvent } from './to-events.ts';
import { toImageResponse } from './to-response.ts';

/** `POST /images/generations` */
export const imageGenerations: Route = {
  method: 'POST',
  path: '/images/generations',
  operationId: 'createImages',
  summary: 'Draw images from a text, at once or with an event for every step.',
  isInference: true,
  requestBody: { name: 'ImageRequest', schema: imageRequestSchema },
  responses: {
    'application/json': { name: 'Images', schema: imageResponseSchema },
    'text/event-stream': { name: 'ImageEvent', schema: imageEventSchema },
  },
  errors: ['context_length_exceeded', 'unsupported_feature'],
  async handle(call) {
    const { request, stream, partialImages, ...asked } = fromImageRequest(
      await readJson(call.request, call.settings.maxBodyBytes),
    );
    const { id: model } = findModel(call, asked.model, 'image');
    call.meter.assertModel(model);
    const run: Run<ImageEvent> = {
      start: (options) => call.inference.generateImages({ ...request, model }, options),
      count: () => 0,
    };
    if (!stream) {
      const events = await collectRun(call, run);
      return jsonResponse(200, toImageResponse(events, unixTime()));
    }
    const { width = imageParameters.width.default, height = imageParameters.height.default } = request;
    const head = { created: unixTime(), size: `${width}x${height}`, partialImages };
    return eventStreamResponse(call, {
      events: await startRun(call, run),
      toFrames: (event: ImageEvent) => toFrame(toImageStreamEvent(event, head)),
    });
  },
};

/** In seconds. */
function unixTime(): number {
  return Math.floor(Date.now() / 1000);
}
