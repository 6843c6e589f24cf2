import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { completeChatRequest, type ChatRequestInput } from '../../src/categories/chat/request.ts';
import {
  fromChatRequest,
  fromDetectRequest,
  fromEmbeddingRequest,
  fromImageRequest,
  fromRerankRequest,
  fromSpeechRequest,
  fromTranscriptionRequest,
} from '../../src/categories/wire.ts';
import { InferenceError } from '../../src/errors.ts';
import { parseBody } from '../../src/validation/issues.ts';
import { settingsFault } from '../../src/validation/assert-options.ts';

/** More than any message may repeat, of a letter that no message has. */
const long = 'ŷ'.repeat(5_000_000);
const messages = [{ role: 'user', content: 'Hello' }];
const tool = (name: string, parameters?: object) => ({ type: 'function', function: { name, parameters } });

const chat = (fields: object) => () => fromChatRequest({ model: 'm', messages, ...fields });
const said = (...given: object[]) => chat({ messages: given });
const asks = (fields: object) => () =>
  completeChatRequest({ model: 'm', messages, ...fields } as ChatRequestInput);
const detect = (fields: object) => () => fromDetectRequest({ image: 'AAAA', ...fields });
const embed = (fields: object) => () => fromEmbeddingRequest({ input: 'a', ...fields });
const draw = (fields: object) => () => fromImageRequest({ prompt: 'a', ...fields });
const speak = (fields: object) => () => fromSpeechRequest({ input: 'a', ...fields });
const rerank = (fields: object) => () => fromRerankRequest({ query: 'a', documents: ['b'], ...fields });
const hear = (name: string, value: string) => () => fromTranscriptionRequest([{ name, value }]);

const cases: readonly (readonly [attempt: () => unknown, begins: string])[] = [
  [chat({ model: 7 }), 'model: expected a string, got 7.'],
  [chat({ model: undefined }), 'model: expected a string, got nothing.'],
  [chat({ temprature: 1 }), 'temprature: unknown field, one letter away from temperature.'],
  [chat({ messages: undefined, mesages: [] }), 'mesages: unknown field, one letter away from messages.'],
  [draw({ guidance_scle: 1 }), 'guidance_scle: unknown field, one letter away from guidance_scale.'],
  [chat({ messages: long }), 'messages: expected an array, got "ŷ'],
  [chat({ messages: [] }), 'messages: expected at least 1 item, got none.'],
  [
    said({ role: 'usr', content: 'a' }),
    'messages[0].role: expected "system" or "developer" or "user" or "assistant" or "tool", got "usr".',
  ],
  [said({ role: long, content: 'a' }), 'messages[0].role: expected "system" or'],
  [said({ content: 'a' }), 'messages[0].role: expected "system" or'],
  [said({ role: 'user', content: 5 }), 'messages[0].content: expected a string or an array, got 5.'],
  [
    said({ role: 'user', content: [{ type: long }] }),
    'messages[0].content[0]: expected a part of type "text" or "ima',
  ],
  [
    said({ role: 'user', content: [{ type: 'text' }] }),
    'messages[0].content[0].text: expected a string, got nothing.',
  ],
  [
    said({ role: 'assistant', content: null }),
    'messages[0].content: expected text without tool calls, got nothing.',
  ],
  [said({ role: 'tool', content: 'a' }), 'messages[0].tool_call_id: expected a string, got nothing.'],
  [
    said({ role: 'tool', content: 'a', tool_call_id: '' }),
    'messages[0].tool_call_id: expected a non-empty text, got "".',
  ],
  [chat({ temperature: long }), 'temperature: expected a number from 0 to 2, got "ŷ'],
  [chat({ top_k: 1.5 }), 'top_k: expected an integer from'],
  [chat({ seed: 2 ** 60 }), 'seed: expected an integer from'],
  [chat({ stop: '' }), 'stop: expected a non-empty text, got "".'],
  [chat({ stop: 5 }), 'stop: expected a string or an array, got 5.'],
  [chat({ stop: ['a', 'b', 'c', 'd', 'e'] }), 'stop: expected at most 4 items, got 5.'],
  [chat({ stop: ['a', 5] }), 'stop[1]: expected a string, got 5.'],
  [chat({ tool_choice: long }), 'tool_choice: expected "auto", "none", "required" or {'],
  [
    chat({ tool_choice: { type: 'function', function: {} } }),
    'tool_choice.function.name: expected a string, got nothing.',
  ],
  [
    asks({ tools: [{ name: 'a' }], toolChoice: { name: long } }),
    'tool_choice: expected one of the tools "a", got "ŷ',
  ],
  [asks({ tools: [{ name: long }], toolChoice: { name: 'a' } }), 'tool_choice: expected one of the tools "ŷ'],
  [
    chat({ tools: [tool(long)] }),
    'tools[0].function.name: expected 1 to 64 letters, digits, underscores and dashes, got "ŷ',
  ],
  [
    chat({ tools: [tool('a'), tool('a')] }),
    'tools[1].function.name: expected every name once, got "a" again.',
  ],
  [chat({ tools: [tool('a', { $ref: long })] }), 'tools[0].function.parameters: expected at most'],
  [chat({ tools: [tool('a', { [long]: {} })] }), 'tools[0].function.parameters: expected at most'],
  [
    chat({ response_format: { type: long } }),
    'response_format.type: expected "text" or "json_object" or "json_schema", got "ŷ',
  ],
  [chat({ response_format: long }), 'response_format: expected an object, got "ŷ'],
  [
    chat({ logit_bias: { [long]: 1 } }),
    'logit_bias: expected token ids with numbers from -100 to 100, got "ŷ',
  ],
  [
    chat({ logit_bias: { 1: long } }),
    'logit_bias: expected token ids with numbers from -100 to 100, got "1": "ŷ',
  ],
  [asks({ logitBias: new Map([[long, 1]]) }), 'logit_bias: expected token ids, got "ŷ'],
  [chat({ stream: long }), 'stream: expected a boolean, got "ŷ'],
  [chat({ functions: long }), 'functions: not supported, '],
  [detect({ image: '' }), 'image: expected base64 or a URL, got "".'],
  [detect({ image: [long] }), 'image: expected a string, got an array.'],
  [detect({ classes: long }), 'classes: expected at most 10000 characters, got 5000000.'],
  [detect({ model: [long] }), 'model: expected a string, got an array.'],
  [embed({ input: { [long]: long } }), 'input: expected a string or an array, got an object.'],
  [embed({ input: [1, long] }), 'input[1]: expected a token id, got "ŷ'],
  [embed({ encoding_format: long }), 'encoding_format: expected "float" or "base64", got "ŷ'],
  [embed({ prompt_name: [long] }), 'prompt_name: expected a string, got an array.'],
  [draw({ prompt: '' }), 'prompt: expected a non-empty text, got "".'],
  [draw({ prompt: long }), 'prompt: expected at most'],
  [draw({ size: long }), 'size: expected a width and a height such as "1024x1024", got "ŷ'],
  [draw({ size: '512x512', width: 256 }), 'size: expected the same as width and height, got 512x512'],
  [draw({ response_format: long }), 'response_format: expected "b64_json", got "ŷ'],
  [draw({ partial_images: 9, stream: true }), 'partial_images: expected a number of at most 3, got 9.'],
  [draw({ partial_images: 2 }), 'partial_images: '],
  [speak({ input: '' }), 'input: expected a non-empty text, got "".'],
  [speak({ input: long }), 'input: expected at most'],
  [speak({ response_format: long }), 'response_format: expected "'],
  [speak({ voice: [long] }), 'voice: expected a string, got an array.'],
  [hear('response_format', long), 'response_format: expected "json"'],
  [hear('temperature', long), 'temperature: expected a number from 0 to 1, got "ŷ'],
  [
    hear('timestamp_granularities[]', long),
    'timestamp_granularities[0]: expected "segment" or "word", got "ŷ',
  ],
  [rerank({ query: '' }), 'query: expected a non-empty text, got "".'],
  [rerank({ documents: [5] }), 'documents[0]: expected a string or an object, got 5.'],
  [rerank({ documents: [{}] }), 'documents[0].text: expected a string, got nothing.'],
  [rerank({ top_n: long }), 'top_n: expected an integer'],
  [() => fromChatRequest(long), 'The request body is not valid: expected an object, got "ŷ'],
  [() => fromRerankRequest([long]), 'The request body is not valid: expected an object, got an array.'],
];

function faultOf(attempt: () => unknown): InferenceError {
  try {
    attempt();
  } catch (error) {
    if (InferenceError.isInstance(error)) return error;
    throw error;
  }
  throw new Error('It was accepted.');
}

describe('the fault of a request body', () => {
  it.each(cases.map(([attempt, begins]) => [begins, attempt] as const))('%s', (begins, attempt) => {
    const { message, param } = faultOf(attempt);
    expect(message.slice(0, begins.length)).toBe(begins);
    expect(message).toMatch(/^(?:[a-z_]+(?:\[\d+\]|\.[a-z_]+)*|The request body is not valid): [^]*\.$/);
    expect(message.startsWith(`${param ?? 'The request body is not valid'}: `)).toBe(true);
    expect((message + param).split('ŷ').length - 1).toBeLessThanOrEqual(200);
  });
});

describe('unknown fields', () => {
  it.each(['user', 'store', 'models', 'strem', 'top_x', 'temperature_last', 'x'.repeat(100)])(
    '%s',
    (name) => {
      expect(chat({ [name]: 1 })).not.toThrow();
    },
  );
});

describe('words for every kind of issue', () => {
  it.each([
    [z.string().regex(/^a+$/), 'b', 'expected a text like /^a+$/, got "b"'],
    [z.email(), 'b', /^expected a text like .*, got "b"$/],
    [z.number().multipleOf(3), 4, 'expected a multiple of 3, got 4'],
    [z.number().gt(3), 3, 'expected a number of more than 3, got 3'],
    [z.number().lt(3), 3, 'expected a number of less than 3, got 3'],
    [z.int(), 1.5, 'expected an integer, got 1.5'],
    [z.string().min(3), 'ab', 'expected at least 3 characters, got 2'],
    [z.array(z.string()).max(1), ['a', 'b'], 'expected at most 1 item, got 2'],
    [z.literal([1, null]), true, 'expected 1 or null, got true'],
    [z.strictObject({}), { a: 1, b: 2 }, 'there is no setting a, b.'],
    [z.record(z.string().max(1), z.number()), { ab: 1 }, 'expected another key, got "ab"'],
    [
      z.union([z.string(), z.literal('a'), z.array(z.number())]),
      1,
      'expected a string or "a" or an array, got 1',
    ],
    [z.union([z.string(), z.object({ a: z.number() })]), { a: 'b' }, 'expected a number, got "b"'],
    [z.never(), long, /^expected never, got "ŷ{60}…"$/],
    [z.custom(() => false), () => long, 'expected another value, got a function'],
    [z.map(z.string(), z.number()), {}, 'expected map, got an object'],
    [z.set(z.string().max(1)), new Set([long]), /^expected /],
  ])('%#', (schema, value, words) => {
    const reason = settingsFault(schema, value)!.reason;
    if (typeof words === 'string') expect(reason).toBe(words);
    else expect(reason).toMatch(words);
  });

  it('gives a place to a fault within a key of the caller only where it is short', () => {
    const schema = z.record(z.string(), z.number());
    expect(faultOf(() => parseBody(schema, { abc: 'x' }))).toMatchObject({ param: 'abc' });
    expect(faultOf(() => parseBody(schema, { ['a'.repeat(61)]: 'x' }))).toMatchObject({ param: undefined });
  });
});
