import { expect, it } from 'vitest';
import { jsonLogger, prettyLogger } from '../../../src/cli/serve/request-log.ts';
import { fakeStream } from '../fake-terminal.ts';

const now = () => new Date(2026, 10, 20, 12, 30, 5);
const request = {
  requestId: 'req_1',
  status: 200,
  model: 'a',
  durationMs: 345.6,
  inputTokens: 12,
  outputTokens: 40,
};

it('programs get lines of JSON', () => {
  const stream = fakeStream();
  const logger = jsonLogger(stream, now).child!({ component: 'slashv1', host: 'x' });
  logger.debug({ requestId: 'req_1' }, 'received');
  logger.info(request, 'POST /chat/completions 200');
  logger.error({ err: new Error('broken') }, 'model could not be loaded');
  const [first, second, ...others] = stream.text.trimEnd().split('\n');
  expect(others).toEqual([]);
  expect(JSON.parse(first!)).toEqual({
    time: now().toISOString(),
    level: 'info',
    message: 'POST /chat/completions 200',
    host: 'x',
    ...request,
  });
  expect(JSON.parse(second!)).toMatchObject({
    level: 'error',
    err: expect.stringContaining('Error: broken\n'),
  });
});

it('people get what they look for', () => {
  const stream = fakeStream();
  const logger = prettyLogger(stream, now);
  logger.debug({}, 'received');
  logger.info(request, 'POST /chat/completions 200');
  logger.warn(
    { durationMs: 2, param: 'top_p', code: 'invalid_request' },
    'POST /embeddings 400 invalid_request',
  );
  logger.info({ model: 'b', loadMs: 3456 }, 'model loaded');
  expect(stream.text).toBe(`12:30:05  POST /chat/completions 200  a  346 ms  12 in, 40 out
12:30:05  POST /embeddings 400 invalid_request  2 ms  (top_p)
12:30:05  model loaded  b  3.5 s
`);
});
