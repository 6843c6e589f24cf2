import type { Route } from '../../../../contracts/endpoint.ts';
import { fieldError, unsupportedError } from '../../../../errors.ts';
import { jsonResponse } from '../../../../http/responses.ts';
import { pageOf, pageParameters } from './item-page.ts';
import { findKept, findSettled, isPending } from './kept-response.ts';
import { deletedResponseSchema, inputItemListSchema, modelResponseSchema } from './schema.ts';

const path = '/responses/{response_id}';
const errors = ['invalid_request', 'unsupported_feature', 'response_not_found', 'overloaded'] as const;
const responses = { 'application/json': { name: 'Response', schema: modelResponseSchema } };

/** Paths of responses that were kept, the longer ones first. */
export const keptResponses: readonly Route[] = [
  {
    method: 'GET',
    path: `${path}/input_items`,
    operationId: 'listInputItems',
    summary: 'The items that a response which was kept has answered, with those before them.',
    queryParameters: pageParameters,
    responses: { 'application/json': { name: 'InputItemList', schema: inputItemListSchema } },
    errors,
    async handle({ caller, query, pathParameters }) {
      const { input } = await findKept(caller, pathParameters['response_id']!, 'response_id');
      const items = input.map((item) => Object.assign({ type: 'message' }, item));
      return jsonResponse(200, pageOf(items, query));
    },
  },
  {
    method: 'POST',
    path: `${path}/cancel`,
    operationId: 'cancelResponse',
    summary: 'Stop a response with `background`. One that has ended is answered as it is.',
    responses,
    errors,
    async handle({ caller, pathParameters }) {
      const id = pathParameters['response_id']!;
      const { response, kept } = await findSettled(caller, id, 'response_id');
      if (!response.background) {
        throw fieldError(
          'response_id',
          'expected a response with `background`: others end with their connection',
        );
      }
      if (!isPending({ response })) return jsonResponse(200, response);
      await kept.work.stop(id);
      return jsonResponse(200, (await findSettled(caller, id, 'response_id')).response);
    },
  },
  {
    method: 'GET',
    path,
    operationId: 'getResponse',
    summary: 'A response that was kept, or that is under way in the background.',
    responses,
    errors,
    async handle({ caller, query, pathParameters }) {
      const { response } = await findSettled(caller, pathParameters['response_id']!, 'response_id');
      for (const name of ['stream', 'starting_after']) {
        if (!query.has(name) || query.get(name) === 'false') continue;
        throw unsupportedError(name, 'not supported, a response that was kept comes at once');
      }
      return jsonResponse(200, response);
    },
  },
  {
    method: 'DELETE',
    path,
    operationId: 'deleteResponse',
    summary:
      'Forget a response that was kept, and stop it first if it is under way. Later ones keep the conversation that they have answered.',
    responses: { 'application/json': { name: 'DeletedResponse', schema: deletedResponseSchema } },
    errors,
    async handle({ caller, pathParameters }) {
      const id = pathParameters['response_id']!;
      const found = await findKept(caller, id, 'response_id');
      const { kept } = found;
      if (isPending(found)) await kept.work.stop(id);
      await kept.delete(id);
      return jsonResponse(200, { id, object: 'response', deleted: true });
    },
  },
];
