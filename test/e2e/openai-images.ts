import OpenAI, { APIUserAbortError, BadRequestError } from 'openai';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';

/** A running service with an image model that is its first one. */
export interface ImageService {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly model: string;
  readonly fetch?: typeof fetch;
  /** Resolves once the service has nothing to do. */
  idle(): Promise<unknown>;
}

/** Points the `openai` package at a service: only the base URL and the key are changed. */
export function openaiImages(service: () => ImageService): void {
  const connect = () => {
    const { baseUrl, apiKey, fetch: ask = fetch } = service();
    return new OpenAI({ baseURL: baseUrl, apiKey, maxRetries: 0, fetch: ask });
  };
  const prompt = 'a red circle above a blue square';
  const size = '256x256';

  describe('the openai package, drawing', () => {
    test('images', async () => {
      const { model } = service();
      // What this API adds to the wire format goes along as it is.
      const more = { seed: 5, num_inference_steps: 2 } as object;
      const { created, data } = await connect().images.generate({ model, prompt, size, n: 2, ...more });
      expect(Math.abs(created - Date.now() / 1000)).toBeLessThan(60);
      expect(data!.map((item) => (item as { seed?: number }).seed)).toEqual([5, 6]);
      for (const { b64_json } of data!) {
        expect((await sharp(Buffer.from(b64_json!, 'base64')).metadata()).format).toBe('png');
      }
    });

    test('a stream', async () => {
      const stream = await connect().images.generate({ model: service().model, prompt, size, stream: true });
      const types: string[] = [];
      for await (const event of stream) {
        types.push(event.type);
        const { format } = await sharp(Buffer.from(event.b64_json, 'base64')).metadata();
        expect(format).toBe('png');
      }
      const partial = Array(4).fill('image_generation.partial_image');
      expect(types).toEqual([...partial, 'image_generation.completed']);
    });

    test('a client that leaves', async () => {
      const client = new AbortController();
      const more = { num_inference_steps: 150 } as object;
      const asked = { model: service().model, prompt, size, stream: true, ...more } as const;
      const stream = await connect().images.generate(asked, { signal: client.signal });
      const reading = (async () => {
        for await (const event of stream) {
          expect(event.type).toBe('image_generation.partial_image');
          client.abort();
        }
      })();
      await reading.catch((error: unknown) => expect(error).toBeInstanceOf(APIUserAbortError));
      await service().idle();
    });

    test('a refusal', async () => {
      const error = await connect()
        .images.generate({ prompt, response_format: 'url' })
        .catch((caught: unknown) => caught);
      expect(error).toBeInstanceOf(BadRequestError);
      expect(error).toMatchObject({ param: 'response_format', code: 'unsupported_feature' });
    });
  });
}
