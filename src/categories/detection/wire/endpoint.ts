import { readJson } from '../../../server/body.ts';
import { findModel } from '../../../server/call.ts';
import { awaitRun } from '../../../server/run.ts';
import { jsonResponse } from '../../../server/responses.ts';
import type { Route } from '../../../server/route.ts';
import { fromDetectRequest } from './from-request.ts';
import { detectRequestSchema, detectResponseSchema } from './schema.ts';
import { toDetectResponse } from './to-response.ts';

/** `POST /detect` */
export const detect: Route = {
  method: 'POST',
  path: '/detect',
  operationId: 'detectObjects',
  summary: 'Find the objects in an image.',
  isInference: true,
  requestBody: { name: 'DetectionRequest', schema: detectRequestSchema },
  responses: { 'application/json': { name: 'DetectionResponse', schema: detectResponseSchema } },
  errors: [],
  async handle(call) {
    const request = fromDetectRequest(await readJson(call.request, call.settings.maxBodyBytes));
    const { id: model } = findModel(call, request.model, 'detection');
    call.meter.assertModel(model);
    const result = await awaitRun(call, {
      start: (options) => call.inference.detect({ ...request, model }, options),
      count: () => 0,
    });
    return jsonResponse(200, toDetectResponse(result, model));
  },
};
