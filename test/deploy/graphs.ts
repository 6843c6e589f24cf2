import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { createOnnxSession } from '../../src/runtime/onnx.ts';
import { startInferenceServer } from '../backends/kserve/inference-server.ts';

const models = new URL('../../examples/models/', import.meta.url).pathname;
const names = ['tiny-detect', 'tiny-embed'] as const;

/** A graph server with the bundled models for detection and embeddings, and their folders without the graphs. */
export async function startTinyGraphs() {
  const folder = await mkdtemp(join(tmpdir(), 'slashv1-deploy-'));
  for (const name of names) {
    const filter = (path: string): boolean => !path.endsWith('.onnx') && !path.includes('/recipe');
    await cp(join(models, name), join(folder, name), { recursive: true, filter });
  }
  const open = (name: (typeof names)[number]) =>
    createOnnxSession(join(models, name, 'onnx/model.onnx'), { threads: 1 });
  const graphs = { detector: await open('tiny-detect'), embedder: await open('tiny-embed') };
  const { url, keys, close } = await startInferenceServer(graphs, { isBinary: true });
  const size = { width: 64, height: 64, channels: 3, background: 'red' } as const;
  return {
    url,
    keys,
    folder,
    /** As base64. */
    picture: (await sharp({ create: size }).png().toBuffer()).toString('base64'),
    async close() {
      close();
      await rm(folder, { recursive: true });
    },
  };
}
