import { describe, expect, it } from 'vitest';
import {
  detokenizationSchema,
  tokenizationSchema,
} from '../../../../../src/categories/chat/wire/tokenization/bodies.ts';
import { createHandler } from '../../../../../src/create-handler.ts';
import { createFakeInference } from '../../../../../src/testing/fake-inference.ts';
import { key, send } from '../../../../server/support.ts';

const handler = createHandler(createFakeInference(), { auth: { keys: [key] } });
const ask = (path: string, json: object, headers?: Record<string, string>) =>
  send(handler, { url: `/v1/${path}`, json: { model: 'fake-chat', ...json }, ...(headers && { headers }) });

describe('POST /tokenize', () => {
  it.each([
    [{ prompt: 'a red circle' }, [0, 1, 2]],
    [{ content: 'a red' }, [0, 1]],
    [{ messages: [{ role: 'user', content: 'a red circle' }] }, [0, 1, 2]],
  ])('takes %j', async (body, tokens) => {
    const { status, json } = await ask('tokenize', body);
    expect(status).toBe(200);
    expect(tokenizationSchema.parse(json)).toEqual(json);
    expect(json).toEqual({ count: tokens.length, max_model_len: 2048, tokens, token_strs: null });
  });

  it('spells tokens out', async () => {
    const { json } = await ask('tokenize', { prompt: 'a red', return_token_strs: true, with_pieces: true });
    expect(json.token_strs).toEqual(['a', ' red']);
    expect(json.tokens).toEqual([
      { id: 0, piece: 'a' },
      { id: 1, piece: ' red' },
    ]);
  });

  it.each([
    ['prompt', {}],
    ['content', { prompt: 'a', content: 'a' }],
    ['messages', { content: 'a', messages: [{ role: 'user', content: 'a' }] }],
    ['tools', { prompt: 'a', tools: [] }],
    ['add_special', { prompt: 'a', add_special: true, add_special_tokens: false }],
    ['think', { prompt: 'a', think: false }],
    ['parse_special', { content: 'a', parse_special: false }],
    ['messages[0].role', { messages: [{ role: 'nobody', content: 'a' }] }],
  ])('names %s when it is at fault: %j', async (param, body) => {
    const { status, json } = await ask('tokenize', body);
    expect([status, json.error.param]).toEqual([400, param]);
  });

  it('needs a key and a model', async () => {
    expect((await ask('tokenize', { prompt: 'a' }, { authorization: '' })).status).toBe(401);
    expect((await ask('tokenize', { prompt: 'a', model: 'another' })).status).toBe(404);
  });
});

describe('POST /detokenize', () => {
  it('gives the text under both names', async () => {
    const { json } = await ask('detokenize', { tokens: [3, 1] });
    expect(detokenizationSchema.parse(json)).toEqual({ prompt: '3 1', content: '3 1' });
  });

  it.each([{ tokens: 'a' }, { tokens: [-1] }, { tokens: [0.5] }, {}])('refuses %j', async (body) => {
    const { status, json } = await ask('detokenize', body);
    expect([status, json.error.param]).toEqual([400, expect.stringMatching(/^tokens/)]);
  });
});

describe('POST /messages/count_tokens', () => {
  const messages = [{ role: 'user', content: [{ type: 'text', text: 'a red circle' }] }];

  it('counts a conversation', async () => {
    const { status, json } = await ask('messages/count_tokens', { system: 'Be brief', messages });
    expect([status, json]).toEqual([200, { input_tokens: 5 }]);
  });

  it('has errors in the form of its dialect', async () => {
    const { status, json } = await ask('messages/count_tokens', { messages: [] });
    expect(status).toBe(400);
    expect(json).toMatchObject({ type: 'error', error: { type: 'invalid_request_error' } });
  });
});
