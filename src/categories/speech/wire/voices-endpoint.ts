import type { Route } from '../../../contracts/endpoint.ts';
import { jsonResponse } from '../../../server/responses.ts';
import { toVoiceList, voiceListSchema } from './voices.ts';

/** `GET /audio/voices` */
export const audioVoices: Route = {
  method: 'GET',
  path: '/audio/voices',
  operationId: 'listVoices',
  summary: 'The voices of the speech models.',
  queryParameters: { model: 'Id of a speech model; default: all.' },
  responses: { 'application/json': { name: 'VoiceList', schema: voiceListSchema } },
  errors: ['invalid_request', 'model_not_found'],
  async handle({ query, models, findModel }) {
    const id = query.get('model');
    return jsonResponse(200, toVoiceList(id === null ? models() : [findModel(id, 'speech')]));
  },
};
