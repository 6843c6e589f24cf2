import { findModel } from '../../../server/call.ts';
import { queryOf } from '../../../server/path.ts';
import { jsonResponse } from '../../../server/responses.ts';
import type { Route } from '../../../server/route.ts';
import { toVoiceList, voiceListSchema } from './voices.ts';

/** `GET /audio/voices` */
export const audioVoices: Route = {
  method: 'GET',
  path: '/audio/voices',
  operationId: 'listVoices',
  summary: 'The voices of the speech models.',
  isInference: false,
  queryParameters: { model: 'Id of a speech model; default: all.' },
  responses: { 'application/json': { name: 'VoiceList', schema: voiceListSchema } },
  errors: ['invalid_request', 'model_not_found'],
  async handle(call) {
    const id = queryOf(call.request.url).get('model');
    const models = id === null ? call.inference.models() : [findModel(call, id, 'speech')];
    return jsonResponse(200, toVoiceList(models));
  },
};
