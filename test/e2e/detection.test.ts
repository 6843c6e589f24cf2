import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { detection } from '../../dist/src/index.js';
import { residentMiB, workersHere } from '../engine/processes.ts';
import { needs, otherSystem } from '../needs.ts';
import { colourDetector } from '../runtime/colour-detector.ts';
import { hostileImages } from '../runtime/hostile-images.ts';
import { serve, type RunningService } from './serve.ts';

// The whole way: HTTP, handler, engine, a worker process, sharp and a detector of coloured cells, written by hand.
const key = 'sk-of-a-test';
let folder: string;
let service: RunningService;
let images: Server;
let imageOrigin: string;
let picture: Buffer;
let served: (path: string) => { status?: number; location?: string; body?: Buffer } | 'never';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slashv1-e2e-detection-'));
  await mkdir(join(folder, 'onnx'));
  const metadata = { names: "{0: 'red', 1: 'green', 2: 'blue'}", stride: '32', imgsz: '320' };
  await writeFile(join(folder, 'onnx', 'model.onnx'), colourDetector({ metadata }));
  images = createServer(({ url }, response) => {
    const answer = served(url!);
    if (answer === 'never') return;
    const { status = 200, location, body = picture } = answer;
    response.writeHead(status, { 'content-type': 'text/html', ...(location && { location }) }).end(body);
  });
  await new Promise<void>((resolve) => images.listen(0, '127.0.0.1', resolve));
  imageOrigin = `http://127.0.0.1:${(images.address() as AddressInfo).port}`;
  service = await serve(
    {
      public: detection({ source: folder, threads: 1 }),
      intranet: detection({
        source: folder,
        threads: 1,
        imageFetch: { allowPrivateNetworks: ['127.0.0.1'], maxBytes: 100_000, timeoutMs: 5000 },
        maxPixels: 1_000_000,
      }),
    },
    { auth: { keys: [key] } },
  );
  // A red cell and a blue one, at twice the size of the model's input.
  const cell = (background: string) =>
    sharp({ create: { width: 64, height: 64, channels: 3, background } })
      .png()
      .toBuffer();
  picture = await sharp({ create: { width: 640, height: 320, channels: 3, background: 'black' } })
    .composite([
      { input: await cell('#ff0000'), left: 128, top: 64 },
      { input: await cell('#0000e0'), left: 448, top: 128 },
    ])
    .png()
    .toBuffer();
}, 120_000);

afterAll(async () => {
  await service.close();
  images.closeAllConnections();
  images.close();
  await rm(folder, { recursive: true });
});

async function detect(body: object): Promise<{ status: number; json: any }> {
  const response = await fetch(`${service.origin}/v1/detect`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, json: await response.json() };
}

const base64 = () => picture.toString('base64');

describe('POST /v1/detect', () => {
  it.each([
    ['base64', () => base64()],
    ['a data: URL', () => `data:image/jpeg;base64,${base64()}`],
  ])('finds what is in %s', async (_title, image) => {
    const { status, json } = await detect({ image: image() });
    expect(status).toBe(200);
    expect(json).toMatchObject({
      detections: [
        { class_name: 'red', class_id: 0, box: { x1: 96, y1: 32, x2: 224, y2: 160 } },
        { class_name: 'blue', class_id: 2, box: { x1: 416, y1: 96, x2: 544, y2: 224 } },
      ],
      image: { width: 640, height: 320 },
      model: 'public',
    });
  });

  it('gives boxes in the image as it is to be looked at', async () => {
    const turned = await sharp(picture).withMetadata({ orientation: 6 }).jpeg({ quality: 100 }).toBuffer();
    const { json } = await detect({ image: turned.toString('base64'), classes: 'red' });
    expect(json.image).toEqual({ width: 320, height: 640 });
    expect(json.detections[0].box).toEqual({ x1: 160, y1: 96, x2: 288, y2: 224 });
  });

  it.each<[name: string, changed: object, base?: object]>([
    ['confidence', { confidence: 0.95 }],
    ['iou_threshold', { iou_threshold: 0.1, image_size: 640 }, { image_size: 640 }],
    ['classes', { classes: 'blue' }],
    ['max_detections', { max_detections: 1 }],
    ['image_size', { image_size: 640 }],
  ])('%s acts', async (_name, changed, base = {}) => {
    const [one, other] = await Promise.all([
      detect({ image: base64(), ...base }),
      detect({ image: base64(), ...changed }),
    ]);
    expect([one.status, other.status]).toEqual([200, 200]);
    expect(other.json.detections).not.toEqual(one.json.detections);
  });

  it.each([
    ['classes', { classes: 'red,purple' }, /no "purple"; there are red, green, blue/],
    ['image', { image: 'bm90IGFuIGltYWdl' }, /jpeg, png, webp, gif, avif, tiff/],
  ])('says what is wrong with %s', async (param, change, message) => {
    const { status, json } = await detect({ image: base64(), ...change });
    expect([status, json.error.param]).toEqual([400, param]);
    expect(json.error.message).toMatch(message);
  });

  it('offers the sizes of the model', async () => {
    const headers = { authorization: `Bearer ${key}` };
    const response = await fetch(`${service.origin}/v1/models/public/parameters`, { headers });
    const { parameters } = (await response.json()) as { parameters: Record<string, object> };
    expect(parameters['image_size']).toMatchObject({ default: 320, min: 320, max: 1280, step: 32 });
  });
});

describe('an image by its URL', () => {
  const refusal = async (body: object) => {
    const { status, json } = await detect(body);
    expect([status, json.error.param]).toEqual([400, 'image']);
    return json.error.message as string;
  };

  it('is fetched where that is allowed, whatever its content type', async () => {
    served = (path) => (path === '/moved' ? { status: 301, location: '/image' } : {});
    for (const path of ['/image', '/moved']) {
      const { status, json } = await detect({ model: 'intranet', image: imageOrigin + path });
      expect([status, json.detections?.length]).toEqual([200, 2]);
    }
  });

  it('is not fetched from a private address', async () => {
    served = () => {
      throw new Error('The private server was reached.');
    };
    expect(await refusal({ model: 'public', image: `${imageOrigin}/image` })).toMatch(
      /address is not public/,
    );
    const alias = imageOrigin.replace('127.0.0.1', 'localhost');
    expect(await refusal({ model: 'intranet', image: alias })).toMatch(/address is not public/);
  });

  it.each<[string, ReturnType<typeof served>, RegExp]>([
    [
      'redirects to a private address',
      { status: 302, location: 'http://169.254.169.254/' },
      /address is not public/,
    ],
    ['redirects for ever', { status: 302, location: '/again' }, /5 redirects/],
    ['redirects to a file', { status: 302, location: 'file:///etc/passwd' }, /http or https/],
    ['is not there', { status: 404 }, /status 200, got 404/],
    ['is too long', { body: Buffer.alloc(200_000) }, /at most 100000 bytes/],
    ['is no image', { body: Buffer.from('<html>') }, /jpeg, png/],
    ['does not answer', 'never', /longer than 5000 ms/],
  ])('is refused where it %s', async (_title, answer, message) => {
    served = () => answer;
    expect(await refusal({ model: 'intranet', image: `${imageOrigin}/image` })).toMatch(message);
  });
});

describe('500 hostile images', () => {
  /** Resident memory of the workers in MiB, by process id. */
  const workers = () => new Map(workersHere().map((pid) => [pid, residentMiB(pid)]));

  it(
    'are refused, each of them; the workers live on and grow by little',
    { ...needs(otherSystem('linux')), timeout: 120_000 },
    async () => {
      const all = await hostileImages();
      const before = workers();
      expect(before.size).toBe(2);
      for (let at = 0; at < all.length; at += 20) {
        await Promise.all(
          all.slice(at, at + 20).map(async ({ title, bytes }) => {
            const { status, json } = await detect({ image: bytes.toString('base64') });
            expect([status, json.error?.param], title).toEqual([400, 'image']);
          }),
        );
      }
      const bomb = await sharp({ create: { width: 1001, height: 1000, channels: 3, background: 'red' } })
        .png()
        .toBuffer();
      const { json } = await detect({ model: 'intranet', image: bomb.toString('base64') });
      expect(json.error.message).toMatch(/at most 1000000 pixels, got 1001 × 1000/);
      const after = workers();
      expect([...after.keys()]).toEqual([...before.keys()]);
      for (const [pid, size] of after) expect(size - before.get(pid)!).toBeLessThan(100);
      expect((await detect({ image: base64() })).status).toBe(200);
    },
  );
});
