import OpenAI, { BadRequestError } from 'openai';
import { describe, expect, test } from 'vitest';

/** A running service with an embedding model that is its first one. */
export interface EmbeddingService {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly model: string;
  readonly fetch?: typeof fetch;
}

/** Points the `openai` package at a service: only the base URL and the key are changed. */
export function openaiEmbeddings(service: () => EmbeddingService): void {
  /** @param sent receives the bodies of all requests */
  const connect = (sent: string[] = []) => {
    const { baseUrl, apiKey, fetch: ask = fetch } = service();
    const remember: typeof fetch = (url, init) => {
      sent.push(String(init?.body));
      return ask(url, init);
    };
    return new OpenAI({ baseURL: baseUrl, apiKey, maxRetries: 0, fetch: remember });
  };
  const input = ['a red circle', 'three blue squares', 'a red circle'];

  describe('the openai package', () => {
    test('embeddings, which it asks for as base64 by itself', async () => {
      const sent: string[] = [];
      const { model } = service();
      const { data, usage, ...rest } = await connect(sent).embeddings.create({ model, input });
      expect(JSON.parse(sent[0]!)).toMatchObject({ encoding_format: 'base64' });
      expect(rest).toMatchObject({ object: 'list', model });
      expect(data.map(({ index, object }) => [index, object])).toEqual([
        [0, 'embedding'],
        [1, 'embedding'],
        [2, 'embedding'],
      ]);
      expect(usage.total_tokens).toBe(usage.prompt_tokens);
      expect(usage.prompt_tokens).toBeGreaterThan(6);
      const numbers = await connect().embeddings.create({ model, input, encoding_format: 'float' });
      for (const [index, { embedding }] of data.entries()) {
        expect(embedding.length).toBeGreaterThan(4);
        expect(Math.hypot(...embedding)).toBeCloseTo(1, 5);
        embedding.forEach((value, at) => expect(value).toBeCloseTo(numbers.data[index]!.embedding[at]!, 5));
      }
      expect(data[0]!.embedding).not.toEqual(data[1]!.embedding);
    });

    test('an empty text is a bad request with its place', async () => {
      const error: unknown = await connect()
        .embeddings.create({ model: service().model, input: ['a', ''] })
        .then(undefined, (thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(BadRequestError);
      expect(error).toMatchObject({ status: 400, code: 'invalid_request', param: 'input[1]' });
    });
  });
}
