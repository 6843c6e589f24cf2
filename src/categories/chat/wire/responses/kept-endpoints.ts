import type { Route } from '../../../../contracts/endpoint.ts';
import { fieldError } from '../../../../errors.ts';
import { jsonResponse } from '../../../../server/responses.ts';
import { findKept } from './kept-response.ts';
import { deletedResponseSchema, inputItemListSchema, modelResponseSchema } from './schema.ts';

const path = '/responses/{response_id}';
const errors = ['invalid_request', 'unsupported_feature', 'response_not_found', 'overloaded'] as const;
const responses = { 'application/json': { name: 'Response', schema: modelResponseSchema } };
const mostItems = 100;

/** Paths of responses that were kept, the longer ones first. */
export const keptResponses: readonly Route[] = [
  {
    method: 'GET',
    path: `${path}/input_items`,
    operationId: 'listInputItems',
    summary: 'The items that a response which was kept has answered, with those before them.',
    queryParameters: {
      limit: `Most items, 1 to ${mostItems}; default 20.`,
      order: '`asc` or `desc`; default `desc`, the last first.',
      after: 'Id of the item before the first.',
    },
    responses: { 'application/json': { name: 'InputItemList', schema: inputItemListSchema } },
    errors,
    async handle({ caller, query, pathParameters }) {
      const { input } = await findKept(caller, pathParameters['response_id']!, 'response_id');
      const limit = Number(query.get('limit') ?? 20);
      if (!(Number.isInteger(limit) && limit >= 1 && limit <= mostItems)) {
        throw fieldError('limit', `expected an integer from 1 to ${mostItems}, got ${limit}`);
      }
      const order = query.get('order') ?? 'desc';
      if (order !== 'asc' && order !== 'desc') throw fieldError('order', 'expected "asc" or "desc"');
      const items = order === 'asc' ? input : input.toReversed();
      const after = query.get('after');
      const start = after === null ? 0 : items.findIndex(({ id }) => id === after) + 1;
      if (after !== null && start === 0)
        throw fieldError('after', 'expected the id of an item of this response');
      const data = items.slice(start, start + limit);
      return jsonResponse(200, {
        object: 'list',
        data: data.map((item) => ({ ...item, type: item.type ?? 'message' })),
        first_id: data[0]?.id ?? null,
        last_id: data.at(-1)?.id ?? null,
        has_more: start + limit < items.length,
      });
    },
  },
  {
    method: 'POST',
    path: `${path}/cancel`,
    operationId: 'cancelResponse',
    summary: 'Refused: a response ends when its connection does, and one that was kept has ended.',
    responses,
    errors,
    async handle({ caller, pathParameters }) {
      await findKept(caller, pathParameters['response_id']!, 'response_id');
      throw fieldError(
        'response_id',
        'expected a response with `background`, which is not offered: it has ended',
      );
    },
  },
  {
    method: 'GET',
    path,
    operationId: 'getResponse',
    summary: 'A response that was kept.',
    responses,
    errors,
    async handle({ caller, query, pathParameters }) {
      const { response } = await findKept(caller, pathParameters['response_id']!, 'response_id');
      if (query.get('stream') === 'true') {
        throw fieldError('stream', 'not supported, a response that was kept comes at once', {
          code: 'unsupported_feature',
        });
      }
      return jsonResponse(200, response);
    },
  },
  {
    method: 'DELETE',
    path,
    operationId: 'deleteResponse',
    summary: 'Forget a response that was kept. Later ones keep the conversation that they have answered.',
    responses: { 'application/json': { name: 'DeletedResponse', schema: deletedResponseSchema } },
    errors,
    async handle({ caller, pathParameters }) {
      const id = pathParameters['response_id']!;
      const { kept } = await findKept(caller, id, 'response_id');
      await kept.delete(id);
      return jsonResponse(200, { id, object: 'response', deleted: true });
    },
  },
];
