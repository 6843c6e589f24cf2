import { createServer } from 'node:http';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { toNodeListener } from '../../adapters/node.ts';
import { remote } from '../../src/backends/registry.ts';
import { createHandler } from '../../src/create-handler.ts';
import { createInference } from '../../src/inference.ts';
import { createFakeInference } from '../../src/testing/fake-inference.ts';
import type { ApiServer } from '../../src/backends/openai/server.ts';
import { json, scriptedServer } from './scripted-server.ts';

const models = [
  { id: 'painter', category: 'image' },
  { id: 'speaker', category: 'speech' },
  { id: 'listener', category: 'transcription' },
] as const;

function openRemote(server: Omit<ApiServer, 'kind'>) {
  const backend = remote.openai(server);
  const inference = createInference({
    models: Object.fromEntries(models.map(({ id, category }) => [id, { source: id, category, backend }])),
  });
  onTestFinished(() => inference.close());
  return inference;
}

/** @returns the address of the service */
async function serve(inference: Parameters<typeof createHandler>[0]): Promise<string> {
  const server = createServer(toNodeListener(createHandler(inference, { auth: 'none' })));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

/** A second service and the same models here. */
async function pair() {
  const far = createFakeInference({
    models,
    transcript: { language: 'en', segments: [' Hello there.', ' Good bye.'] },
  });
  const baseURL = await serve(far);
  return { far, near: openRemote({ baseURL, dialect: 'slashv1' }) };
}

async function collect<Event>(events: AsyncIterable<Event>): Promise<Event[]> {
  const all: Event[] = [];
  for await (const event of events) all.push(event);
  return all;
}

it('draws as the model itself', async () => {
  const { far, near } = await pair();
  const request = { model: 'painter', prompt: 'a red circle', n: 2, width: 256, height: 320, seed: 5 };
  const images = (events: readonly { type: string }[]) => events.filter(({ type }) => type === 'image');
  expect(images(await collect(near.run('image', request)))).toEqual(
    images(await collect(far.run('image', request))),
  );
});

it('shows the steps of a picture as the model itself', async () => {
  const { far, near } = await pair();
  const request = {
    model: 'painter',
    prompt: 'a red circle',
    n: 2,
    width: 256,
    height: 320,
    seed: 5,
    previews: true,
  };
  const events = await collect(near.run('image', request));
  expect(events).toEqual(await collect(far.run('image', request)));
  expect(events).toContainEqual(
    expect.objectContaining({ type: 'image-step', image: 1, step: 1, preview: expect.any(Uint8Array) }),
  );
});

it.each([
  { type: 'image_generation.progress', image_index: 2, step: 1, steps: 4 },
  { type: 'image_generation.progress', image_index: 0, step: 5, steps: 4 },
  { type: 'image_generation.partial_image', image_index: 0, step: 1, steps: 4, b64_json: 'aGVsbG8=' },
  { type: 'image_generation.completed', image_index: 0 },
  { type: 'image_generation.progress', image_index: 0, step: 4, steps: 4 },
])('fails where a step is none, or no picture comes: %o', async (event) => {
  const { origin } = await scriptedServer((_asked, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(`data: ${JSON.stringify(event)}\n\ndata: [DONE]\n\n`);
  });
  const near = openRemote({ baseURL: `${origin}/v1`, dialect: 'slashv1' });
  const request = { model: 'painter', prompt: 'a', previews: true };
  await expect(collect(near.run('image', request as never))).rejects.toMatchObject({
    code: 'worker_failed',
  });
});

it('speaks as the model itself', async () => {
  const { far, near } = await pair();
  const request = { model: 'speaker', input: 'a red circle', speed: 2, format: 'wav' } as const;
  const bytesOf = async (events: AsyncIterable<any>) =>
    Buffer.concat((await collect(events)).flatMap((event) => (event.type === 'audio' ? [event.bytes] : [])));
  expect(await bytesOf(near.run('speech', request))).toEqual(await bytesOf(far.run('speech', request)));
});

it('translates as the model itself', async () => {
  const { far, near } = await pair();
  const request = { model: 'listener', audio: new Uint8Array(100), task: 'translate' as const };
  expect(await collect(near.run('transcription', request))).toEqual(
    await collect(far.run('transcription', request)),
  );
});

it('transcribes as the model itself, bytes and files', async () => {
  const { far, near } = await pair();
  const folder = await mkdtemp(join(tmpdir(), 'remote-media-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'speech.wav');
  const bytes = new Uint8Array(100_000).fill(1);
  await writeFile(path, bytes);
  for (const audio of [bytes, { path }]) {
    const request = { model: 'listener', audio, language: 'en' };
    expect(await collect(near.run('transcription', request))).toEqual(
      await collect(far.run('transcription', request)),
    );
  }
});

it('asks a server who says what', async () => {
  const { near } = await pair();
  const request = { model: 'listener', audio: new Uint8Array(100), diarize: true };
  const events: any[] = await collect(near.run('transcription', request));
  const { segments } = events.find(({ type }) => type === 'speakers');
  expect(segments.length).toBeGreaterThan(0);
  expect(segments[0]).toMatchObject({ speaker: 'A', startSeconds: 0, text: expect.stringMatching(/^\S/) });
  for (const other of [{ wordTimestamps: true }, { task: 'translate' as const }]) {
    await expect(collect(near.run('transcription', { ...request, ...other }))).rejects.toMatchObject({
      code: 'unsupported_feature',
      param: 'response_format',
    });
  }
});

it('takes the plain text of a server that has no more', async () => {
  const { origin, asked } = await scriptedServer(({ url, body }, response) => {
    if (url.endsWith('/models')) return json(response, { data: [] });
    if (!String(body).includes('verbose_json'))
      return json(response, { text: 'Hello.', usage: { seconds: 2 } });
    return json(response, { error: { message: 'no verbose_json', param: 'response_format' } }, 400);
  });
  const near = openRemote({ baseURL: `${origin}/v1` });
  const request = { model: 'listener', audio: Uint8Array.of(1, 2, 3) };
  for (let turn = 0; turn < 2; turn++) {
    expect(await collect(near.run('transcription', request))).toMatchObject([
      { type: 'segment', segment: { text: 'Hello.', startSeconds: 0, endSeconds: 2 } },
      { type: 'transcription-end', durationSeconds: 2 },
    ]);
  }
  expect(asked.filter(({ url }) => url.endsWith('/transcriptions'))).toHaveLength(3);
});

it('refuses what a server of the plain wire format would ignore', async () => {
  const { origin } = await scriptedServer((_asked, response) => json(response, { data: [] }));
  const near = openRemote({ baseURL: `${origin}/v1` });
  for (const [field, value, param] of [
    ['guidanceScale', 3, 'guidance_scale'],
    ['seed', 3, 'seed'],
    ['previews', true, 'partial_images'],
  ] as const) {
    const events = near.run('image', { model: 'painter', prompt: 'a', [field]: value } as never);
    await expect(collect(events)).rejects.toMatchObject({ code: 'invalid_request', param });
  }
});

it('refuses channels, which a server would mix, and asks it nothing', async () => {
  const { origin, asked } = await scriptedServer((_asked, response) => json(response, { text: 'mixed' }));
  const near = await serve(openRemote({ baseURL: `${origin}/v1` }));
  const body = new FormData();
  body.set('model', 'listener');
  body.set('file', new Blob(['RIFF']), 'call.wav');
  body.set('multichannel', 'true');
  const response = await fetch(`${near}/audio/transcriptions`, { method: 'POST', body });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({
    error: { code: 'unsupported_feature', param: 'multichannel' },
  });
  expect(asked.filter(({ url }) => url.endsWith('/transcriptions'))).toEqual([]);
});

it.each([[{ data: [] }], [{ data: [{ b64_json: 'aGVsbG8=' }] }], [{ data: [{ url: 'http://elsewhere' }] }]])(
  'fails where images are none: %o',
  async (answer) => {
    const { origin } = await scriptedServer((_asked, response) => json(response, answer));
    const near = openRemote({ baseURL: `${origin}/v1` });
    await expect(
      collect(near.run('image', { model: 'painter', prompt: 'a' } as never)),
    ).rejects.toMatchObject({
      code: 'worker_failed',
    });
  },
);
