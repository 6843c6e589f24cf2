import { expect, it } from 'vitest';
import { toExpress } from '../../adapters/express.ts';
import { toFastify } from '../../adapters/fastify.ts';
import { toFetch } from '../../adapters/fetch.ts';
import { toNodeListener } from '../../adapters/node.ts';
import { chat } from '../../src/categories/chat/settings.ts';
import { createHandler } from '../../src/create-handler.ts';
import { checkModels } from '../../src/loading/settings.ts';
import type { HandlerOptions } from '../../src/server/options.ts';
import { createFakeInference } from '../../src/testing/fake-inference.ts';
import { sentForm, uploadOf } from './forms.ts';
import { key, send, type Sent } from './support.ts';

const inference = createFakeInference({
  models: [
    'assistant',
    { id: 'vectors', category: 'embedding' },
    { id: 'ears', category: 'transcription' },
    { id: 'mouth', category: 'speech', voices: [{ id: 'af_heart', name: 'Heart', language: 'en-US' }] },
  ],
});
const handler = createHandler(inference, { auth: { keys: [key] } });
const messages = [{ role: 'user', content: 'Hi' }];
const hi = { model: 'assistant', messages };
const header = (headers: Record<string, string | undefined>): Sent => ({ json: hi, headers });

/** Mistakes of somebody new, and what the service answers. */
const requests: readonly (readonly [mistake: string, sent: Sent, status: number, message: string])[] = [
  [
    'the page of the base URL',
    { url: '/v1' },
    404,
    'There is no GET /v1. GET /v1/openapi.json lists every path.',
  ],
  [
    'the base URL in place of a path',
    { url: '/v1/', json: hi },
    404,
    'There is no POST /v1/. GET /v1/openapi.json lists every path.',
  ],
  [
    '/v1 twice',
    { url: '/v1/v1/chat/completions', json: hi },
    404,
    'There is no POST /v1/v1/chat/completions. The base URL ends with /v1 twice.',
  ],
  [
    "another server's path",
    { url: '/api/chat', json: hi },
    404,
    'There is no POST /api/chat. Call POST /v1/chat/completions instead.',
  ],
  ['GET', {}, 405, 'Expected POST, got GET.'],
  [
    'no key',
    header({ authorization: undefined }),
    401,
    'Expected a header `Authorization: Bearer <API_KEY>` or `x-api-key: <API_KEY>`.',
  ],
  [
    'a key without Bearer',
    header({ authorization: key }),
    401,
    'Expected a header `Authorization: Bearer <API_KEY>` or `x-api-key: <API_KEY>`.',
  ],
  [
    'an unset variable',
    header({ authorization: 'Bearer ' }),
    401,
    'The header `Authorization: Bearer <API_KEY>` has no key: is the variable set?',
  ],
  ['another key', header({ authorization: 'Bearer sk-two' }), 401, 'The API key is not valid.'],
  [
    "curl's own content type",
    header({ 'content-type': 'application/x-www-form-urlencoded' }),
    415,
    'Expected content-type application/json in UTF-8, got application/x-www-form-urlencoded.',
  ],
  [
    'quotes of Python',
    { text: "{'model': 'assistant'}" },
    400,
    'The request body is not valid JSON: unexpected character at position 2.',
  ],
  ['no body', { text: '' }, 400, 'The request body is empty.'],
  ['a parser that has read the body', { body: { parsed: undefined } }, 400, 'The request body is empty.'],
  [
    'a model of another service',
    { json: { ...hi, model: 'gpt-4o' } },
    404,
    'The model "gpt-4o" does not exist. Available: "assistant".',
  ],
  [
    'a model of another category',
    { json: { ...hi, model: 'vectors' } },
    400,
    'model: expected a model for chat, got "vectors", a model for embedding.',
  ],
  ['no model', { json: { messages } }, 400, 'model: expected a string, got nothing.'],
  [
    'a prompt for a chat',
    { json: { model: 'assistant', prompt: 'Hi' } },
    400,
    'prompt: not supported, use `messages`, or `POST /completions`.',
  ],
  [
    'an input for a chat',
    { json: { model: 'assistant', input: 'Hi' } },
    400,
    'input: not supported, use `messages`, or `POST /responses`.',
  ],
  [
    'messages for a response',
    { url: '/v1/responses', json: hi },
    400,
    'messages: not supported, use `input`.',
  ],
  ['messages as a text', { json: { ...hi, messages: 'Hi' } }, 400, 'messages: expected an array, got "Hi".'],
  [
    'a role of LangChain',
    { json: { ...hi, messages: [{ role: 'human', content: 'Hi' }] } },
    400,
    'messages[0].role: expected "system" or "developer" or "user" or "assistant" or "tool", got "human".',
  ],
  [
    'a misspelt field',
    { json: { ...hi, temprature: 1 } },
    400,
    'temprature: unknown field, one letter away from temperature.',
  ],
  [
    'a field in camel case',
    { json: { ...hi, maxTokens: 9 } },
    400,
    'maxTokens: unknown field, one letter away from max_tokens.',
  ],
  [
    'a number as a text',
    { json: { ...hi, temperature: '0.7' } },
    400,
    'temperature: expected a number from 0 to 2, got "0.7".',
  ],
  [
    'no limit by zero',
    { json: { ...hi, max_tokens: 0 } },
    400,
    'max_tokens: expected an integer from 1 to 131072, got 0.',
  ],
  [
    'JSON for a recording',
    { url: '/v1/audio/transcriptions', json: { file: 'a.wav' } },
    415,
    'Expected content-type multipart/form-data, as of a form with a file, got application/json.',
  ],
  [
    'a path for a recording: curl without @',
    { url: '/v1/audio/transcriptions', ...sentForm(uploadOf({ file: 'a.wav' })) },
    400,
    'file: expected a file, got text.',
  ],
  [
    'a voice of another service',
    { url: '/v1/audio/speech', json: { model: 'mouth', input: 'Hi', voice: 'bob' } },
    400,
    'voice: expected one of af_heart, got "bob".',
  ],
  [
    'a response that nothing keeps',
    { url: '/v1/responses', json: { model: 'assistant', input: 'Hi', store: true } },
    400,
    "store: this service stores no responses (the handler's option `keepResponses` is off), so send the whole conversation as `input`.",
  ],
];

it.each(requests)('%s', async (_mistake, sent, status, message) => {
  const answer = await send(handler, sent);
  expect([answer.status, answer.json.error.message]).toEqual([status, message]);
});

it.each(['inputs', 'texts'])('%s of an embedding acts as input', async (name) => {
  const sent = { url: '/v1/embeddings', json: { model: 'vectors', [name]: ['a', 'b'] } };
  expect((await send(handler, sent)).json.data).toHaveLength(2);
});

const noHandler = 'handler: expected a handler, which `createHandler(inference, options)` makes';
const noAuth = "auth: expected { keys: [...] } with at least one key, a function or 'none'";

/** Mistakes in the program of a host, and what it throws. */
const programs: readonly (readonly [mistake: string, run: () => unknown, message: string])[] = [
  ['no options', () => createHandler(inference, undefined as never), noAuth],
  ['a key in place of auth', () => createHandler(inference, { auth: 'sk-one' as never }), noAuth],
  [
    'an unset key',
    () => createHandler(inference, { auth: { keys: [undefined as never] } }),
    'auth.keys[0]: the key is empty: is SLASHV1_API_KEY set?',
  ],
  [
    'a misspelt option',
    () => createHandler(inference, { auth: 'none', maxBodyByte: 1 } as HandlerOptions),
    'maxBodyByte: createHandler has no such setting. Did you mean maxBodyBytes?',
  ],
  [
    'no inference',
    () => createHandler(undefined as never, { auth: 'none' }),
    'createHandler: expected an inference, which `createInference` makes',
  ],
  ...[toNodeListener, toFetch, toExpress, toFastify].map(
    (mount) => [`an inference for ${mount.name}`, () => mount(inference as never), noHandler] as const,
  ),
  [
    'a list of models',
    () => checkModels(['tiny-chat']),
    'models: expected an object of ids and models, got an array.',
  ],
  [
    'a name for a model',
    () => checkModels({ a: 'tiny-chat' }),
    'models.a: expected one of image({…}), transcription({…}), speech({…}), detection({…}), rerank({…}), embedding({…}), chat({…}), got "tiny-chat".',
  ],
  [
    'a name for settings',
    () => checkModels({ a: chat('tiny-chat' as never) }),
    'models.a: expected an object of settings, such as { source: … }, got a text or a list.',
  ],
  [
    'no source',
    () => checkModels({ a: chat({} as never) }),
    'models.a.source: expected a string, got nothing.',
  ],
  [
    'a parameter as a setting',
    () => checkModels({ a: chat({ source: 'tiny-chat', temperature: 1 } as never) }),
    'models.a.temperature: it is a parameter of requests: its default for the model is `defaults: { temperature: … }`.',
  ],
];

it.each(programs)('%s', (_mistake, run, message) => {
  expect(run).toThrow(expect.objectContaining({ message }));
});
