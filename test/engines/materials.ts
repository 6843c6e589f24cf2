import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toNodeListener } from '../../dist/adapters/node.js';
import {
  chat,
  createHandler,
  createInference,
  detection,
  embedding,
  image,
  rerank,
  type Inference,
} from '../../dist/src/index.js';
import { tinyChatAsGguf } from '../backends/llama/tiny-gguf.ts';
import type { Materials } from './engine.ts';
import { writeCheckpoint } from './write-checkpoint.ts';

const models = new URL('../../examples/models/', import.meta.url).pathname;
/** The server's name of the graph → its file. */
const graphs = {
  embedder: 'tiny-embed/onnx/model.onnx',
  detector: 'tiny-detect/onnx/model.onnx',
  reranker: 'tiny-rerank/onnx/model.onnx',
  unet: 'tiny-image/unet/model.onnx',
  'text-encoder': 'tiny-image/text_encoder/model.onnx',
  'vae-decoder': 'tiny-image/vae_decoder/model.onnx',
} as const;

/** What the engines are compared with, and what they serve. */
export interface Workshop {
  /** The models on this machine. */
  readonly local: Inference;
  readonly materials: Materials;
  close(): Promise<void>;
}

export async function openWorkshop(): Promise<Workshop> {
  const scratch = await mkdtemp(join(tmpdir(), 'slashv1-engines-'));
  const local = createInference({
    models: {
      // As engines have it that are told nothing.
      chat: chat({ source: 'tiny-chat', defaults: { repeatPenalty: 1 } }),
      embedder: embedding({ source: 'tiny-embed' }),
      detector: detection({ source: 'tiny-detect' }),
      reranker: rerank({ source: 'tiny-rerank' }),
      painter: image({ source: 'tiny-image' }),
    },
  });
  const materials = {
    scratch,
    graphs: join(scratch, 'graphs'),
    models: join(scratch, 'models'),
    gguf: join(scratch, 'tiny-chat.gguf'),
    checkpoint: join(scratch, 'tiny-chat'),
    chatURL: '',
    running: () => local.status().find(({ id }) => id === 'chat')!.running,
  };
  await mkdir(materials.graphs);
  const filter = (path: string): boolean => !path.endsWith('.onnx') && !path.includes('/recipe');
  for (const [name, file] of Object.entries(graphs)) {
    const model = file.split('/')[0]!;
    await cp(join(models, model), join(materials.models, model), { recursive: true, filter });
    await cp(join(models, file), join(materials.graphs, `${name}.onnx`));
  }
  await writeFile(materials.gguf, tinyChatAsGguf());
  await writeCheckpoint(materials.checkpoint);
  const handler = createHandler(local, { auth: 'none' });
  const server = createServer(toNodeListener(handler));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  materials.chatURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  await local.ready();
  return {
    local,
    materials,
    async close() {
      server.closeAllConnections();
      server.close();
      await local.close();
      await rm(scratch, { recursive: true });
    },
  };
}
