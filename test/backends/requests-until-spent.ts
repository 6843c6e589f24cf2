import { createHandler } from '../../src/create-handler.ts';

export interface SpendOptions {
  readonly model: string;
  readonly messages: readonly object[];
  /** Tokens in an hour. */
  readonly quota: number;
}

const most = 100;

/** Requests that pass until a quota is spent, each left after three pieces of its answer, if it has as many. */
export async function requestsUntilSpent(
  inference: Parameters<typeof createHandler>[0],
  { quota, ...body }: SpendOptions,
): Promise<number> {
  const plans = { free: { quota: { tokens: quota, perSeconds: 3600 } } };
  const handler = createHandler(inference, { auth: { keys: [{ key: 'k', plan: 'free' }] }, plans });
  for (let passed = 0; passed < most; passed++) {
    const response = await handler({
      method: 'POST',
      url: '/v1/chat/completions',
      headers: { authorization: 'Bearer k', 'content-type': 'application/json' },
      body: { parsed: { ...body, stream: true } },
      signal: new AbortController().signal,
    });
    if (response.status === 403) return passed;
    if (response.status !== 200) throw new Error(`answered ${response.status}`);
    const stream = (response.body as AsyncIterable<string>)[Symbol.asyncIterator]();
    for (let seen = 0; seen < 3;) {
      const { value, done = false } = await stream.next();
      if (done) break;
      seen += [...String(value).matchAll(/"content":"/g)].length;
    }
    await stream.return!();
  }
  return most;
}
