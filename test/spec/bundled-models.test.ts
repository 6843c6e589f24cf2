import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  chat,
  createHandler,
  createInference,
  detection,
  embedding,
  image,
  rerank,
  speech,
  transcription,
  type Inference,
} from '../../dist/src/index.js';
import { toFetch } from '../../dist/adapters/fetch.js';
import { decimalsWithin } from '../tolerance.ts';

// The bounds of the specification's tables, and both sides of every switch, asked of real models.
let inference: Inference;
let answer: ReturnType<typeof toFetch>;
let picture: string;
let recording: Blob;

beforeAll(async () => {
  inference = createInference({
    models: {
      'tiny-chat': chat({ source: 'tiny-chat' }),
      'tiny-image': image({ source: 'tiny-image' }),
      'tiny-whisper': transcription({ source: 'tiny-whisper' }),
      'tiny-speech': speech({ source: 'tiny-speech' }),
      'tiny-detect': detection({ source: 'tiny-detect' }),
      'tiny-embed': embedding({ source: 'tiny-embed' }),
      'tiny-rerank': rerank({ source: 'tiny-rerank' }),
    },
    isolation: 'inline',
  });
  answer = toFetch(createHandler(inference, { auth: 'none' }));
  picture = (await json('/images/generations', { ...drawing, seed: 1 })).data[0].b64_json;
  recording = await (await post('/audio/speech', { input: 'A red circle.' })).blob();
}, 120_000);
afterAll(() => inference.close());

function post(path: string, body: object | FormData): Promise<Response> {
  const isForm = body instanceof FormData;
  const headers: Record<string, string> = isForm ? {} : { 'content-type': 'application/json' };
  const content = isForm ? body : JSON.stringify(body);
  return answer(new Request(`http://localhost/v1${path}`, { method: 'POST', headers, body: content }));
}

async function json(path: string, body: object | FormData): Promise<any> {
  const response = await post(path, body);
  expect(response.status, await response.clone().text()).toBe(200);
  return response.json();
}

const drawing = { prompt: 'a red circle', width: 256, height: 256 };
const asking = {
  model: 'tiny-chat',
  messages: [{ role: 'user', content: 'Describe a scene.' }],
  max_tokens: 3,
};

describe('chat', () => {
  it.each([
    ['temperature', 0, 2],
    ['max_tokens', 1, 131_072],
    ['top_p', 0, 1],
    ['frequency_penalty', -2, 2],
    ['presence_penalty', -2, 2],
    ['repeat_penalty', 0, 3],
    ['top_k', 0, 500],
    ['min_p', 0, 1],
    ['typical_p', 0, 1],
    ['tfs_z', 0, 1],
    ['mirostat_mode', 0, 2],
    ['mirostat_tau', 0, 10],
    ['mirostat_eta', 0, 1],
    ['seed', 0, 2 ** 31],
    ['n', 1, 5],
  ])('takes the bounds of %s', async (name, min, max) => {
    for (const value of [min, max]) {
      const { choices, usage } = await json('/chat/completions', { ...asking, [name]: value });
      expect(choices).toHaveLength(name === 'n' ? value : 1);
      expect(usage.completion_tokens).toBeGreaterThan(0);
    }
  });

  it('takes all of its parameters at once', async () => {
    const all = { temperature: 2, top_p: 1, top_k: 500, min_p: 0, typical_p: 1, tfs_z: 1, seed: 1, n: 5 };
    const more = { frequency_penalty: 2, presence_penalty: 2, repeat_penalty: 3, stop: ['a', 'b', 'c', 'd'] };
    const { choices } = await json('/chat/completions', { ...asking, ...all, ...more });
    expect(choices).toHaveLength(5);
  });
});

describe('chat under a grammar in Lark', () => {
  const grammar = `
    start: sum "=" NUMBER
    ?sum: sum "+" product -> add | product
    ?product: product "*" atom -> multiply | atom
    ?atom: NUMBER | "(" sum ")"
    NUMBER: /[1-9][0-9]?/
    %import common.WS_INLINE -> GAP
    %ignore GAP`;

  it.each(['/chat/completions', '/completions'])('is kept by %s', async (path) => {
    const { prompt, ...body } = { ...asking, prompt: 'One and two', max_tokens: 60 };
    const input = path === '/completions' ? { ...body, messages: undefined, prompt } : body;
    for (const field of [{ structured_outputs: { grammar } }, { guided_grammar: grammar }, { grammar }]) {
      const { choices } = await json(path, { ...input, ...field, seed: 3 });
      const text: string = choices[0].message?.content ?? choices[0].text;
      expect(text.replace(/[ \t]/g, ''), text).toMatch(/^[(\d][\d+*()]*=[1-9]\d?$/);
    }
  });

  it('is refused where it is at fault, with the field and the rule', async () => {
    const [lark, neither] = await Promise.all(
      ['start: ["a"] start "b" | "c"', 'start = "a"'].map(async (text) => {
        const response = await post('/chat/completions', {
          ...asking,
          structured_outputs: { grammar: text },
        });
        return { status: response.status, ...(await response.json()) };
      }),
    );
    expect(lark).toMatchObject({ status: 400, error: { param: 'structured_outputs.grammar' } });
    expect(lark.error.message).toMatch(/expected no left recursion .*, got it in "start"\.$/);
    expect(neither).toMatchObject({ status: 400, error: { param: 'structured_outputs.grammar' } });
    expect(neither.error.message).toMatch(/expected GBNF .*, or Lark /);
  });
});

describe('images', () => {
  it.each([
    ['num_inference_steps', 1, 150],
    ['guidance_scale', 1, 30],
    ['width', 256, 2048],
    ['height', 256, 2048],
    ['seed', 0, 2 ** 31],
    ['n', 1, 4],
  ])('take the bounds of %s', { timeout: 120_000 }, async (name, min, max) => {
    for (const value of [min, max]) {
      const { data } = await json('/images/generations', {
        ...drawing,
        num_inference_steps: 1,
        [name]: value,
      });
      expect(data).toHaveLength(name === 'n' ? value : 1);
      expect(data[0].b64_json).toMatch(/^iVBORw0KGgo/);
    }
  });
});

describe('transcription', () => {
  it.each([
    ['temperature', '0', '1'],
    ['response_format', 'json', 'verbose_json'],
  ])('takes the bounds of %s', async (name, ...values) => {
    for (const value of values) {
      const form = new FormData();
      form.append('file', recording, 'speech.wav');
      form.append(name, value);
      expect(await json('/audio/transcriptions', form)).toMatchObject({ text: expect.any(String) });
    }
  });
});

describe('speech', () => {
  it.each([0.25, 4])('takes the speed %d', async (speed) => {
    const response = await post('/audio/speech', { input: 'A red circle.', speed });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'audio/wav']);
    expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(1000);
  });
});

describe('detection', () => {
  it.each([
    ['confidence', [0.01, 1]],
    ['iou_threshold', [0.1, 1]],
    ['max_detections', [1, 300]],
    ['image_size', [320, 321, 1279, 1280]],
  ])('takes the bounds of %s', async (name, values) => {
    for (const value of values) {
      const { detections } = await json('/detect', { image: picture, [name]: value });
      for (const found of detections) expect(found).toMatchObject({ class_name: expect.any(String) });
    }
  });
});

describe('embeddings', () => {
  it('are vectors of a text and of several', async () => {
    const { data } = await json('/embeddings', { input: ['a red circle', 'a blue square'] });
    const { data: one } = await json('/embeddings', { input: 'a red circle', encoding_format: 'base64' });
    expect(data).toHaveLength(2);
    const [first] = data[0].embedding;
    expect(Buffer.from(one[0].embedding, 'base64').readFloatLE(0)).toBeCloseTo(first, decimalsWithin(5));
  });
});

describe('rerank', () => {
  it.each([
    ['top_n', [1, 2048]],
    ['return_documents', [true, false]],
    ['max_tokens_per_doc', [1, 1_048_576]],
  ])('takes the bounds of %s', async (name, values) => {
    const documents = ['The weather in Paris is sunny.', 'There is a red circle above a blue square.'];
    for (const value of values) {
      const { results } = await json('/rerank', { query: 'a red circle', documents, [name]: value });
      expect(results).toHaveLength(name === 'top_n' && value === 1 ? 1 : 2);
      if (name !== 'max_tokens_per_doc' || value !== 1) expect(results[0].index).toBe(1);
    }
  });
});
