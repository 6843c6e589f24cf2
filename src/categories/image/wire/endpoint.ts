import type { Endpoint } from '../../../contracts/endpoint.ts';
import { unixTime } from '../../../http/headers.ts';
import { jsonResponse } from '../../../http/responses.ts';
import { toFrame } from '../../../http/sse.ts';
import type { ImageEvent } from '../events.ts';
import { imageParameters } from '../parameters.ts';
import type { ImageRequestInput } from '../request.ts';
import { fromImageRequest, type ImageCall, imageForeignFields } from './from-request.ts';
import { imageEventSchema, imageRequestSchema, imageResponseSchema } from './schema.ts';
import { toImageStreamEvent, toImageResponse } from './to-response.ts';

export const imageGenerations: Endpoint<ImageCall, ImageRequestInput, ImageEvent> = {
  method: 'POST',
  path: '/images/generations',
  operationId: 'createImages',
  summary: 'Generate images from a text, complete or as a stream of server-sent events.',
  requestBody: { name: 'ImageRequest', schema: imageRequestSchema, foreign: imageForeignFields },
  responses: {
    'application/json': { name: 'Images', schema: imageResponseSchema },
    'text/event-stream': { name: 'ImageEvent', schema: imageEventSchema },
  },
  errors: ['context_length_exceeded', 'unsupported_feature'],
  read: fromImageRequest,
  async answer(run, { request, stream, partialImages, includeProgress }) {
    const asked = { ...request, model: run.model.id };
    if (!stream) return jsonResponse(200, toImageResponse(await run.collect(asked), unixTime()));
    const { width = imageParameters.width.default, height = imageParameters.height.default } = request;
    const head = { created: unixTime(), size: `${width}x${height}`, partialImages, includeProgress };
    return run.stream(asked, (event) => {
      const told = toImageStreamEvent(event, head);
      return told === undefined ? '' : toFrame(told);
    });
  },
};
