import { expect, it } from 'vitest';
import { openHttpServer } from '../../../src/cli/serve/http-server.ts';

it('keeps idle connections for longer than proxies do', async () => {
  const server = await openHttpServer('127.0.0.1', 0);
  const response = await fetch(`${server.origin}/v1/models`);
  await server.close();
  expect(response.status).toBe(503);
  expect(response.headers.get('keep-alive')).toBe('timeout=75');
});
