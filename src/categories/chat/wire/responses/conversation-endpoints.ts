import { z } from 'zod';
import type { NamedSchema, Route, RouteCall } from '../../../../contracts/endpoint.ts';
import type { ErrorCode } from '../../../../errors.ts';
import { createId, unixTime } from '../../../../http/headers.ts';
import { jsonResponse } from '../../../../http/responses.ts';
import { listOf } from '../../../../validation/list-schema.ts';
import { itemPageSchema, pageOf, pageParameters, toItemPage } from './item-page.ts';
import { findConversation, withItems, type KeptConversation } from './kept-conversation.ts';
import { notFound, nothingKept, tooLarge } from './kept-response.ts';
import { itemSchema, metadataSchema } from './schema.ts';

const path = '/conversations/{conversation_id}';
const itemPath = `${path}/items/{item_id}`;
const errors: ErrorCode[] = ['invalid_request', 'unsupported_feature', 'response_not_found', 'overloaded'];
errors.push('request_timeout', 'request_too_large', 'unsupported_media_type', 'rate_limited');

const object = z.literal('conversation');
const schema = z.object({
  id: z.string(),
  object,
  created_at: z.int(),
  metadata: z.record(z.string(), z.string()),
});
const conversation: NamedSchema = { name: 'Conversation', schema };
const item: NamedSchema = { name: 'ConversationItem', schema: itemSchema };
const itemPage: NamedSchema = { name: 'ConversationItemList', schema: itemPageSchema(itemSchema) };
const deleted = z.object({
  id: z.string(),
  object: z.literal('conversation.deleted'),
  deleted: z.literal(true),
});

const bodies = {
  create: z.object({ items: listOf(itemSchema).nullish(), metadata: metadataSchema }),
  add: z.object({ items: listOf(itemSchema, { min: 1 }) }),
  update: z.object({ metadata: metadataSchema }),
};

function find<Found extends KeptConversation | undefined = KeptConversation>(
  { caller, pathParameters: { conversation_id: id } }: RouteCall,
  change?: (found: KeptConversation) => Found,
): Promise<Found> {
  return findConversation(caller, id!, 'conversation_id', change);
}

function show({ id, created_at, metadata }: KeptConversation): object {
  return { id, object: object.value, created_at, metadata };
}

type Parts = Omit<Route, 'responses' | 'errors' | 'handle'>;

function route(answer: NamedSchema, parts: Parts, make: (call: RouteCall) => Promise<object>): Route {
  const handle: Route['handle'] = async (call) => jsonResponse(200, await make(call));
  return { ...parts, responses: { 'application/json': answer }, errors, handle };
}

/** Paths of conversations that are kept, the longer ones first. */
export const keptConversations: readonly Route[] = [
  route(
    item,
    {
      method: 'GET',
      path: itemPath,
      operationId: 'getConversationItem',
      summary: 'One item of a conversation.',
    },
    async (call) => {
      const { items } = await find(call);
      const found = items.find(({ id }) => id === call.pathParameters['item_id']);
      if (found === undefined) throw notFound('item_id');
      return found;
    },
  ),
  route(
    conversation,
    {
      method: 'DELETE',
      path: itemPath,
      operationId: 'deleteConversationItem',
      summary: 'Remove an item from a conversation.',
    },
    async (call) =>
      show(
        await find(call, (found) => {
          const items = found.items.filter(({ id }) => id !== call.pathParameters['item_id']);
          if (items.length === found.items.length) throw notFound('item_id');
          return { ...found, items };
        }),
      ),
  ),
  route(
    itemPage,
    {
      method: 'GET',
      path: `${path}/items`,
      operationId: 'listConversationItems',
      summary: 'The items of a conversation.',
      queryParameters: pageParameters,
    },
    async (call) => pageOf((await find(call)).items, call.query),
  ),
  route(
    itemPage,
    {
      method: 'POST',
      path: `${path}/items`,
      operationId: 'createConversationItems',
      summary: 'Add items to the end of a conversation.',
      requestBody: { name: 'NewConversationItems', schema: bodies.add },
    },
    async (call) => {
      const added = (call.body as z.infer<typeof bodies.add>).items;
      const { items } = await find(call, (found) => withItems(found, added));
      return toItemPage(items.slice(-added.length));
    },
  ),
  route(
    conversation,
    { method: 'GET', path, operationId: 'getConversation', summary: 'A conversation, without its items.' },
    async (call) => show(await find(call)),
  ),
  route(
    conversation,
    {
      method: 'POST',
      path,
      operationId: 'updateConversation',
      summary: "Replace a conversation's metadata.",
      requestBody: { name: 'ConversationUpdate', schema: bodies.update },
    },
    async (call) => {
      const { metadata } = call.body as z.infer<typeof bodies.update>;
      return show(await find(call, (found) => ({ ...found, metadata: metadata ?? {} })));
    },
  ),
  route(
    { name: 'DeletedConversation', schema: deleted },
    {
      method: 'DELETE',
      path,
      operationId: 'deleteConversation',
      summary: 'Forget a conversation and its items. Responses that were kept stay.',
    },
    async (call) => {
      await find(call, () => undefined);
      return { id: call.pathParameters['conversation_id'], object: 'conversation.deleted', deleted: true };
    },
  ),
  route(
    conversation,
    {
      method: 'POST',
      path: '/conversations',
      operationId: 'createConversation',
      summary: 'Begin a conversation that responses go on with, where the service keeps responses.',
      requestBody: { name: 'NewConversation', schema: bodies.create, isOptional: true },
    },
    async ({ caller: { kept }, body }) => {
      if (kept === undefined) throw nothingKept('conversation');
      const { items, metadata } = body as z.infer<typeof bodies.create>;
      const empty = { id: createId('conv_'), created_at: unixTime(), metadata: metadata ?? {}, items: [] };
      const begun = withItems(empty, items ?? []);
      if (!(await kept.set(begun.id, begun))) throw tooLarge('items', 'the conversation');
      return show(begun);
    },
  ),
];
