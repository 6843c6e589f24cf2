import { describe, expect, it } from 'vitest';
import { converse, respond, say } from './support.ts';

const create = (item: object, previous_item_id?: string) => ({
  type: 'conversation.item.create',
  item,
  ...(previous_item_id && { previous_item_id }),
});
const call = (id: string) =>
  create({ type: 'function_call', id: `item_${id}`, call_id: id, name: 'f', arguments: '{}' });
const result = (id: string, output = `result ${id}`) =>
  create({ type: 'function_call_output', call_id: id, output });
const remove = (item_id: string) => ({ type: 'conversation.item.delete', item_id });

/** Roles and texts of the messages that the chat model got last. */
async function asked(...events: object[]) {
  const { send, next, inference } = converse({ reply: { text: 'Yes.' } });
  send(...events, respond());
  const { response } = await next('response.done');
  expect(response.status, JSON.stringify(response.status_details)).toBe('completed');
  return inference.requests
    .at(-1)!
    .messages.map((message) =>
      'toolCalls' in message && message.toolCalls
        ? `calls ${message.toolCalls.map(({ id }) => id).join(' ')}`
        : `${message.role}: ${message.content as string}`,
    );
}

describe('calls and results', () => {
  it.each<[string, object[], string[]]>([
    [
      'a result in its place',
      [say('a'), call('1'), result('1'), say('b')],
      ['user: a', 'calls 1', 'tool: result 1', 'user: b'],
    ],
    [
      'a result after speech',
      [say('a'), call('1'), say('b'), result('1'), say('c')],
      ['user: a', 'user: b', 'calls 1', 'tool: result 1', 'user: c'],
    ],
    [
      'no result yet',
      [say('a'), call('1'), say('b')],
      ['user: a', 'calls 1', 'tool: (no result yet)', 'user: b'],
    ],
    [
      'one of two results, and late',
      [say('a'), call('1'), call('2'), say('b'), result('2')],
      ['user: a', 'calls 1', 'tool: (no result yet)', 'user: b', 'calls 2', 'tool: result 2'],
    ],
    [
      'a result twice',
      [say('a'), call('1'), result('1'), result('1', 'again'), say('b')],
      ['user: a', 'calls 1', 'tool: result 1', 'user: b'],
    ],
    [
      'a deleted call',
      [say('a'), call('1'), result('1'), remove('item_1'), say('b')],
      ['user: a', 'user: b'],
    ],
  ])('%s', async (_name, events, messages) => {
    expect(await asked(...events)).toEqual(messages);
  });
});

it('an answer without a limit is spoken to its end', async () => {
  const text = 'word '.repeat(600).trim();
  const { send, next } = converse({ reply: { text } });
  send(say('tell'), respond({ output_modalities: ['text'], max_output_tokens: 'inf' }));
  const { response } = await next('response.done');
  expect(response.status).toBe('completed');
  expect(response.output[0].content[0].text).toBe(text);
});

it('a picture for a model that takes none is refused, and later answers come', async () => {
  const { send, next } = converse({
    models: [
      { id: 'ears', category: 'transcription' },
      { id: 'mind', category: 'chat', inputModalities: ['text'] },
      { id: 'mouth', category: 'speech' },
    ],
  });
  send(
    create({
      type: 'message',
      role: 'user',
      content: [{ type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=' }],
    }),
    say('a'),
    respond(),
  );
  expect((await next('error')).error).toMatchObject({
    param: 'item.content[0]',
    code: 'unsupported_feature',
  });
  expect((await next('response.done')).response.status).toBe('completed');
});
