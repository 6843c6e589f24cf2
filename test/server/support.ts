import { expect } from 'vitest';
import type { ApiRequest, ApiResponse, Handler } from '../../src/contracts/http.ts';

export const key = 'test-key';

export interface Sent extends Partial<Omit<ApiRequest, 'body'>> {
  readonly json?: unknown;
  readonly text?: string;
  readonly body?: ApiRequest['body'];
}

/** A request with a valid key and a JSON body, unless told otherwise. */
export function toRequest({ json, text, headers = {}, ...rest }: Sent): ApiRequest {
  const content = text ?? (json === undefined ? undefined : JSON.stringify(json));
  return {
    method: content === undefined && rest.body === undefined ? 'GET' : 'POST',
    url: '/v1/chat/completions',
    body: chunksOf(content === undefined ? [] : [new TextEncoder().encode(content)]),
    signal: new AbortController().signal,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    ...rest,
  };
}

export async function* chunksOf(chunks: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

export interface Answer {
  readonly status: number;
  readonly headers: ApiResponse['headers'];
  readonly text: string;
  /** The body as JSON. */
  readonly json: any;
}

export async function send(handler: Handler, sent: Sent): Promise<Answer> {
  const { status, headers, body } = await handler(toRequest(sent));
  const text = await textOf(body);
  const isJson = String(headers['content-type']).startsWith('application/json') && text !== '';
  return { status, headers, text, json: isJson ? JSON.parse(text) : undefined };
}

async function textOf(body: ApiResponse['body']): Promise<string> {
  if (typeof body === 'string') return body;
  if (body instanceof Uint8Array) return new TextDecoder().decode(body);
  let text = '';
  for await (const chunk of body) text += typeof chunk === 'string' ? chunk : new TextDecoder().decode(chunk);
  return text;
}

/** The data of every event of a server-sent event stream, parsed where it is JSON; comments are left out. */
export function eventsOf(text: string): any[] {
  const frames = text.split('\n\n').filter((frame) => frame.startsWith('data: '));
  return frames.map((frame) => (frame === 'data: [DONE]' ? '[DONE]' : JSON.parse(frame.slice(6))));
}

/** Asserts status, code and parameter of an error answer, and that the body has the four keys and nothing else. */
export function expectError(answer: Answer, status: number, code: string, param: string | null = null): void {
  expect(answer.json?.error, answer.text).toEqual({
    message: expect.stringMatching(/\S/),
    type: expect.stringMatching(/^[a-z_]+$/),
    param,
    code,
  });
  expect(Object.keys(answer.json)).toEqual(['error']);
  expect(answer.status).toBe(status);
  expect(answer.headers['x-request-id']).toMatch(/^[\w.-]{1,128}$/);
}

/** The smallest valid chat request, with additions. */
export function chatBody(additions: object = {}): Record<string, unknown> {
  return { model: 'fake-chat', messages: [{ role: 'user', content: 'Hello there' }], ...additions };
}
