import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { obtainModel } from '../../src/loading/files.ts';
import { locateModel } from '../../src/folder/source.ts';
import { loadPipeline } from '../../src/loading/load-pipeline.ts';
import { describeModel } from '../../src/loading/facts.ts';
import { writeVoices } from '../categories/speech/pipeline/piper-speaker.ts';
import { readFolder, startHub, type HubServer } from './hub-server.ts';

const miniature = new URL('../categories/image/pipeline/miniatures/sdxl/', import.meta.url).pathname;

let hub: HubServer;
let cacheFolder: string;
beforeAll(async () => {
  hub = await startHub();
  cacheFolder = await mkdtemp(join(tmpdir(), 'slashv1-categories-'));
});
afterAll(async () => {
  await hub.close();
  await rm(cacheFolder, { recursive: true, force: true });
});

it.each([
  ['chat', locateModel('tiny-chat')],
  ['detection', locateModel('tiny-detect')],
  ['embedding', locateModel('tiny-embed')],
  ['image', miniature],
  ['rerank', locateModel('tiny-rerank')],
  ['chat', locateModel('tiny-vision')],
  ['speech', locateModel('tiny-speech')],
  ['transcription', locateModel('tiny-whisper')],
] as const)('of a model for %s everything is downloaded that it needs', async (category, folder) => {
  const source = `org/${category}`;
  hub.models.set(source, readFolder(folder));
  const spec = { id: category, category, source, hub: { endpoint: hub.endpoint, cacheFolder } };
  const obtained = await obtainModel({ source: spec.source, category: spec.category, hub: spec.hub });
  expect(obtained.source.startsWith(cacheFolder)).toBe(true);
  const pipeline = await loadPipeline({ ...spec, source: obtained.source });
  expect(pipeline.info).toMatchObject({ id: category, category });
  await pipeline.close();
});

it('of a model with companions those are downloaded, too', async () => {
  const speakers = new URL('../categories/transcription/pipeline/golden/speakers/', import.meta.url).pathname;
  for (const name of ['segmentation', 'embedding'])
    hub.models.set(`org/${name}`, readFolder(join(speakers, name)));
  const settings = { endpoint: hub.endpoint, cacheFolder };
  const load = (embedding: string) =>
    loadPipeline({
      id: 'ears',
      category: 'transcription',
      source: 'tiny-whisper',
      hub: settings,
      diarization: { segmentation: 'org/segmentation', embedding },
    });
  await (await load('org/embedding')).close();
  expect(await readdir(cacheFolder)).toEqual(
    expect.arrayContaining(['models--org--segmentation', 'models--org--embedding']),
  );
  await expect(load('org/nothing')).rejects.toMatchObject({ param: 'diarization.embedding' });
});

it("a voice of Piper's is recognized, downloaded and loaded", async () => {
  const folder = await writeVoices(join(cacheFolder, 'voices'), { anna: {} });
  const source = 'org/piper';
  const files = readFolder(folder);
  hub.models.set(source, files.set('espeak-ng-data/phontab', new Uint8Array(9)));
  const settings = { endpoint: hub.endpoint, cacheFolder };
  expect((await describeModel(source, { hub: settings })).category).toBe('speech');
  const pipeline = await loadPipeline({ id: 'anna', category: 'speech', source, hub: settings });
  expect(pipeline.info).toMatchObject({ voices: [{ id: 'anna' }] });
  await pipeline.close();
  const { source: obtained } = await obtainModel({ source, category: 'speech', hub: settings });
  expect((await readdir(obtained)).sort()).toEqual(['anna.onnx', 'anna.onnx.json']);
});
