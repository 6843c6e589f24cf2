import { z } from 'zod';
import type { NamedSchema, Route, RouteCall } from '../../../../contracts/endpoint.ts';
import { fieldError, unsupportedError, type ErrorCode } from '../../../../errors.ts';
import { jsonResponse } from '../../../../http/responses.ts';
import { listOf } from '../../../../validation/list-schema.ts';
import { stopWork } from './background-work.ts';
import { itemPageSchema, pageParameters, toItemPage } from './item-page.ts';
import {
  addItems,
  changeConversation,
  storeFor,
  createConversation,
  findConversation,
  removeConversation,
  removeItem,
  type KeptConversation,
} from './kept-conversation.ts';
import { keyOf, storeDisabled, notFound, placesOf, readPage, type KeptItem } from './kept-items.ts';
import { findKept, findSettled, forgetResponse, isPending, placesBefore } from './kept-response.ts';
import {
  deletedSchema,
  inputItemListSchema,
  itemSchema,
  keptItemSchema,
  metadataSchema,
  modelResponseSchema,
} from './schema.ts';

const path = '/conversations/{conversation_id}';
const itemPath = `${path}/items/{item_id}`;
const responsePath = '/responses/{response_id}';
const errors = ['invalid_request', 'unsupported_feature', 'response_not_found', 'overloaded'] as const;
const bodyErrors = [
  'request_timeout',
  'request_too_large',
  'unsupported_media_type',
  'rate_limited',
] as const;
/** Requests about stored responses have no body to reject. */
const errorsOf = (at: string): readonly ErrorCode[] =>
  at.startsWith(responsePath) ? errors : [...errors, ...bodyErrors];

const object = z.literal('conversation');
const schema = z.object({
  id: z.string(),
  object,
  created_at: z.int(),
  metadata: z.record(z.string(), z.string()),
});
const conversation: NamedSchema = { name: 'Conversation', schema };
const item: NamedSchema = { name: 'ConversationItem', schema: keptItemSchema };
const itemPage: NamedSchema = { name: 'ConversationItemList', schema: itemPageSchema(keptItemSchema) };

const bodies = {
  create: z.object({ items: listOf(itemSchema).nullish(), metadata: metadataSchema }),
  add: z.object({ items: listOf(itemSchema, { min: 1 }) }),
  update: z.object({ metadata: metadataSchema }),
};

function named({ caller, pathParameters: { conversation_id: id } }: RouteCall) {
  const name = [id!, 'conversation_id'] as const;
  return [storeFor(caller, name), name] as const;
}

function show({ id, created_at, metadata }: KeptConversation): object {
  return { id, object: object.value, created_at, metadata };
}

type Row = readonly [method: Route['method'], path: string, operationId: string, summary: string];

function route(
  [method, at, operationId, summary]: Row,
  answer: NamedSchema,
  make: (call: RouteCall) => Promise<object>,
  more?: Partial<Pick<Route, 'requestBody' | 'queryParameters'>>,
): Route {
  const handle: Route['handle'] = async (call) => jsonResponse(200, await make(call));
  const responses = { 'application/json': answer };
  return { method, path: at, operationId, summary, responses, errors: errorsOf(at), handle, ...more };
}

/** Longer paths first. */
export const keptConversations: readonly Route[] = [
  route(['GET', itemPath, 'getConversationItem', 'One item of a conversation.'], item, async (call) => {
    const [kept, name] = named(call);
    const { id: owner } = await findConversation(kept, name);
    const found = await kept.get(keyOf({ owner, id: call.pathParameters['item_id']! }));
    if (found === undefined) throw notFound('item_id');
    return found as KeptItem;
  }),
  route(
    ['DELETE', itemPath, 'deleteConversationItem', 'Remove an item from a conversation.'],
    conversation,
    async (call) => show(await removeItem(...named(call), call.pathParameters['item_id']!)),
  ),
  route(
    ['GET', `${path}/items`, 'listConversationItems', 'The items of a conversation.'],
    itemPage,
    async (call) => {
      const [kept, name] = named(call);
      const { id, entries } = await findConversation(kept, name);
      return readPage(kept, placesOf(id, entries), call);
    },
    { queryParameters: pageParameters },
  ),
  route(
    ['POST', `${path}/items`, 'createConversationItems', 'Add items to the end of a conversation.'],
    itemPage,
    async (call) => {
      const { items } = call.body as z.infer<typeof bodies.add>;
      return toItemPage(await addItems(...named(call), { items }));
    },
    { requestBody: { name: 'NewConversationItems', schema: bodies.add } },
  ),
  route(['GET', path, 'getConversation', 'A conversation, without its items.'], conversation, async (call) =>
    show(await findConversation(...named(call))),
  ),
  route(
    ['POST', path, 'updateConversation', "Replace a conversation's metadata."],
    conversation,
    async (call) => {
      const metadata = (call.body as z.infer<typeof bodies.update>).metadata ?? {};
      return show(await changeConversation(...named(call), async () => ({ metadata })));
    },
    { requestBody: { name: 'ConversationUpdate', schema: bodies.update } },
  ),
  route(
    [
      'DELETE',
      path,
      'deleteConversation',
      "Delete a conversation and its items. Stored responses remain, but can't be continued.",
    ],
    { name: 'DeletedConversation', schema: deletedSchema('conversation.deleted') },
    async (call) => {
      await removeConversation(...named(call));
      return { id: call.pathParameters['conversation_id'], object: 'conversation.deleted', deleted: true };
    },
  ),
  route(
    [
      'POST',
      '/conversations',
      'createConversation',
      'Create a conversation for responses, if the service stores responses.',
    ],
    conversation,
    async ({ caller: { kept }, body }) => {
      if (kept === undefined) throw storeDisabled('conversation');
      const { items, metadata } = body as z.infer<typeof bodies.create>;
      return show(await createConversation(kept, items ?? [], metadata ?? {}));
    },
    { requestBody: { name: 'NewConversation', schema: bodies.create, isOptional: true } },
  ),
];

const response: NamedSchema = { name: 'Response', schema: modelResponseSchema };

function settled({ caller, pathParameters: { response_id: id } }: RouteCall): ReturnType<typeof findSettled> {
  return findSettled(caller, id!, 'response_id');
}

/** Longer paths first. */
export const keptResponses: readonly Route[] = [
  route(
    [
      'GET',
      `${responsePath}/input_items`,
      'listInputItems',
      'The input items of a stored response, including earlier items.',
    ],
    { name: 'InputItemList', schema: inputItemListSchema },
    async ({ caller, budget, query, pathParameters }) => {
      const param = 'response_id';
      const id = pathParameters[param]!;
      const { kept, before, entries, inputCount } = await findKept(caller, id, param);
      const earlier = await placesBefore(kept, before, { budget, param });
      return readPage(kept, [...earlier, ...placesOf(id, entries.slice(0, inputCount))], { query, budget });
    },
    { queryParameters: pageParameters },
  ),
  route(
    [
      'POST',
      `${responsePath}/cancel`,
      'cancelResponse',
      'Stop a response with `background`. A finished response is returned unchanged.',
    ],
    response,
    async (call) => {
      const found = await settled(call);
      if (!found.background) {
        const reason = 'expected a response with `background`: the rest end with their connection';
        throw fieldError('response_id', reason);
      }
      if (!isPending(found)) return found;
      await stopWork(call.caller.kept!, found.id);
      return settled(call);
    },
  ),
  route(
    ['GET', responsePath, 'getResponse', 'A response that is stored, or running in the background.'],
    response,
    async (call) => {
      const found = await settled(call);
      for (const name of ['stream', 'starting_after']) {
        if (!call.query.has(name) || call.query.get(name) === 'false') continue;
        throw unsupportedError(name, 'not supported, a stored response is returned immediately');
      }
      return found;
    },
  ),
  route(
    [
      'DELETE',
      responsePath,
      'deleteResponse',
      'Delete a stored response, and stop it first if it is running. Later responses keep their conversation.',
    ],
    { name: 'DeletedResponse', schema: deletedSchema('response') },
    async ({ caller, pathParameters }) => {
      const id = pathParameters['response_id']!;
      const { kept, ...head } = await findKept(caller, id, 'response_id');
      if (isPending(head)) await stopWork(kept, id);
      await forgetResponse(kept, id);
      return { id, object: 'response', deleted: true };
    },
  ),
];
