import type { Endpoint } from '../../../contracts/endpoint.ts';
import { jsonResponse } from '../../../http/responses.ts';
import type { DetectionEvent } from '../events.ts';
import type { DetectionRequestInput } from '../request.ts';
import {
  detectionForeignFields,
  fromDetectRequest,
  type DetectCall,
  detectRequestSchema,
  detectResponseSchema,
  toDetectResponse,
} from './bodies.ts';

export const detect: Endpoint<DetectCall, DetectionRequestInput, DetectionEvent> = {
  method: 'POST',
  path: '/detect',
  operationId: 'detectObjects',
  summary: 'Find the objects in an image.',
  requestBody: {
    name: 'DetectionRequest',
    schema: detectRequestSchema,
    foreign: detectionForeignFields,
  },
  responses: { 'application/json': { name: 'DetectionResponse', schema: detectResponseSchema } },
  errors: ['unsupported_feature'],
  read: fromDetectRequest,
  async answer(run, asked) {
    const model = run.model.id;
    const [result] = await run.collect({ ...asked, model });
    return jsonResponse(200, toDetectResponse(result!, model));
  },
};
