import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { createHandler, createInference } from '../../dist/src/index.js';
import { toNodeListener } from '../../dist/adapters/node.js';
import { eventually } from '../engine/processes.ts';

const speech = readFileSync(join(import.meta.dirname, 'media/speech.wav'));

async function start() {
  const uploadDirectory = mkdtempSync(join(tmpdir(), 'slashv1-shutdown-'));
  const inference = createInference({ models: { ears: { source: 'tiny-whisper' } }, isolation: 'inline' });
  await inference.ready();
  const handler = createHandler(inference, { auth: 'none', uploadDirectory, onError: () => {} });
  const server = createServer(toNodeListener(handler));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    await inference.close();
    server.closeAllConnections();
    server.close();
    expect(readdirSync(uploadDirectory)).toEqual([]);
    rmSync(uploadDirectory, { recursive: true });
  });
  return { inference, uploadDirectory, port: (server.address() as AddressInfo).port };
}

/** Sends a form up to the middle of its recording. */
async function sendHalf(port: number, uploadDirectory: string) {
  const form = new FormData();
  form.append('model', 'ears');
  form.append('file', new File([speech], 'speech.wav'));
  const whole = new Response(form);
  const bytes = Buffer.from(await whole.arrayBuffer());
  const sent = request({
    host: '127.0.0.1',
    port,
    method: 'POST',
    path: '/v1/audio/transcriptions',
    headers: { 'content-type': whole.headers.get('content-type')!, 'content-length': bytes.length },
  });
  const answered = new Promise<{ status: number; retryAfter: string | undefined; body: string }>(
    (resolve, reject) => {
      sent.once('error', reject).once('response', async (response) => {
        const { statusCode, headers } = response;
        resolve({ status: statusCode!, retryAfter: headers['retry-after'], body: await text(response) });
      });
    },
  );
  sent.write(bytes.subarray(0, bytes.length / 2));
  await eventually(() => expect(readdirSync(uploadDirectory)).toHaveLength(1));
  return { finish: () => sent.end(bytes.subarray(bytes.length / 2)), answered };
}

it('an upload that is half sent when the service begins to drain is waited for', async () => {
  const { inference, uploadDirectory, port } = await start();
  const { finish, answered } = await sendHalf(port, uploadDirectory);
  const closing = inference.close({ drainDelayMs: 60_000, graceMs: 60_000 });
  finish();
  expect(await answered).toMatchObject({ status: 200, body: expect.stringContaining('circle') });
  // A second call ends the delay.
  await Promise.all([inference.close(), closing]);
});

it('an upload that is half sent when the service closes is ended with 503', async () => {
  const { inference, uploadDirectory, port } = await start();
  const { finish, answered } = await sendHalf(port, uploadDirectory);
  await inference.close();
  finish();
  const answer = await answered;
  expect(answer).toMatchObject({ status: 503, retryAfter: '1' });
  expect(JSON.parse(answer.body)).toMatchObject({ error: { code: 'overloaded' } });
});
