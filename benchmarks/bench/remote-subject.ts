import {
  chat,
  createInference,
  embedding,
  InferenceError,
  remote,
  type ImageEvent,
  type ImageRequestInput,
  type SpeechEvent,
  type TranscriptionEvent,
} from '../../src/index.ts';
import { reasonOfFetch } from '../../src/runtime/http/fetch-failures.ts';
import { categoryNames } from '../../src/categories/registry.ts';
import type { MeasuredInference, Subject } from '../../src/cli/bench/workloads.ts';

export interface RemoteOptions {
  /** Up to and including `/v1`. */
  readonly baseUrl: string;
  readonly key: string | undefined;
  readonly model: string;
  /** `undefined` to ask the server. */
  readonly category: string | undefined;
  readonly concurrency: number;
  readonly signal: AbortSignal;
}

/**
 * A model of a server that runs already.
 *
 * @throws InferenceError where the server can't be reached or reports no category
 */
export async function openRemoteSubject(options: RemoteOptions): Promise<Subject> {
  const { baseUrl, key, model, concurrency } = options;
  const client = new ApiClient(baseUrl, key);
  const told = await client.describe(model, options.signal);
  const category = options.category ?? told.category;
  if (category === undefined) {
    throw new InferenceError(
      'invalid_request',
      `${baseUrl} doesn't tell what ${model} does: say it with --category ${categoryNames.join('|')}`,
    );
  }
  const server = remote.openai({ baseURL: baseUrl, apiKey: key, concurrency });
  const settings = { source: model, backend: server, maxQueue: concurrency };
  // The wire format of these two is known to the library; the others it has nobody else to ask for.
  const models = category === 'chat' ? { [model]: chat(settings) } : { [model]: embedding(settings) };
  const inference = createInference({ models });
  await inference.ready();
  return {
    inference: { ...client.media, chat: inference.chat, embed: inference.embed },
    model,
    category,
    contextLength: told.contextLength,
    close: () => inference.close(),
  };
}

type Media = Omit<MeasuredInference, 'chat' | 'embed'>;

/** Requests as any client sends them. */
class ApiClient {
  readonly #base: string;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(base: string, key: string | undefined) {
    this.#base = base;
    this.#headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  }

  /** Facts that other servers leave out are unknown. */
  async describe(
    model: string,
    signal: AbortSignal,
  ): Promise<{ readonly category: string | undefined; readonly contextLength: number }> {
    const response = await this.#fetch(`/models/${encodeURIComponent(model)}`, { signal });
    const told = (await response.json()) as { readonly category?: string; readonly context_length?: number };
    return {
      category: told.category,
      contextLength: told.context_length ?? 0,
    };
  }

  readonly media: Media = {
    detect: async ({ model, image }, { signal } = {}) => {
      const response = await this.#post('/detect', { model, image }, signal);
      return (await response.json()) as object;
    },
    rerank: async ({ model, query, documents }, { signal } = {}) => {
      const response = await this.#post('/rerank', { model, query, documents }, signal);
      const { usage } = (await response.json()) as { readonly usage?: { readonly prompt_tokens?: number } };
      return { promptTokens: usage?.prompt_tokens ?? 0 };
    },
    image: (request, { signal } = {}) => this.#draw(request, signal),
    speak: (request, { signal } = {}) => this.#speak(request.model, request.input, signal),
    transcribe: (request, { signal } = {}) =>
      this.#transcribe(request.model, request.audio as Uint8Array, signal),
  };

  async *#draw(
    { model, prompt, seed, width, height, numInferenceSteps }: ImageRequestInput,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<ImageEvent> {
    const body = { model, prompt, seed, width, height, num_inference_steps: numInferenceSteps };
    const response = await this.#post('/images/generations', body, signal);
    const { data } = (await response.json()) as { readonly data: readonly { readonly b64_json: string }[] };
    for (const [image, { b64_json }] of data.entries()) {
      yield { type: 'image', image, png: Buffer.from(b64_json, 'base64'), seed: seed ?? 0 };
    }
  }

  async *#speak(model: string, input: string, signal: AbortSignal | undefined): AsyncGenerator<SpeechEvent> {
    const response = await this.#post('/audio/speech', { model, input, response_format: 'wav' }, signal);
    let length = 0;
    let head: Uint8Array | undefined;
    for await (const bytes of response.body!) {
      head ??= bytes;
      length += bytes.byteLength;
      yield { type: 'audio', bytes };
    }
    yield { type: 'speech-end', durationSeconds: wavSeconds(head, length) };
  }

  async *#transcribe(
    model: string,
    audio: Uint8Array,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<TranscriptionEvent> {
    const form = new FormData();
    form.set('model', model);
    form.set('response_format', 'verbose_json');
    form.set('file', new Blob([new Uint8Array(audio)]), 'recording.wav');
    const response = await this.#fetch('/audio/transcriptions', {
      method: 'POST',
      body: form,
      signal: signal ?? null,
    });
    const { duration = 0, language } = (await response.json()) as { duration?: number; language?: string };
    yield { type: 'transcription-end', language, durationSeconds: duration };
  }

  async #post(path: string, body: object, signal: AbortSignal | undefined): Promise<Response> {
    return this.#fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: signal ?? null,
    });
  }

  async #fetch(path: string, init: RequestInit): Promise<Response> {
    let response: Response;
    try {
      response = await fetch(this.#base + path, { ...init, headers: { ...this.#headers, ...init.headers } });
    } catch (error) {
      throw new InferenceError('worker_failed', `${this.#base} can't be reached: ${reasonOfFetch(error)}`, {
        cause: error,
      });
    }
    if (response.ok) return response;
    throw new InferenceError(
      'invalid_request',
      `${this.#base} answers ${response.status}: ${await messageOf(response)}`,
    );
  }
}

/** The message in an error body of the wire format, or the beginning of another body. */
async function messageOf(response: Response): Promise<string> {
  const text = await response.text().catch(() => '');
  try {
    return (JSON.parse(text) as { readonly error: { readonly message: string } }).error.message;
  } catch {
    return text.slice(0, 200) || response.statusText;
  }
}

/** Offsets in the header of a WAV file whose chunks stand in their usual order. */
const byteRateOffset = 28;
const headerBytes = 44;

/**
 * Length of a WAV file that came as a stream: its header was written before its size was known.
 *
 * @param head the first bytes
 * @param length of the whole file, in bytes
 * @returns 0 where it is no such file
 */
export function wavSeconds(head: Uint8Array | undefined, length: number): number {
  if (!head || head.byteLength < headerBytes) return 0;
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  const isWav = view.getUint32(0) === 0x52_49_46_46;
  const byteRate = view.getUint32(byteRateOffset, true);
  return isWav && byteRate > 0 ? (length - headerBytes) / byteRate : 0;
}
