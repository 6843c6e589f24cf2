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
  type Inference,
} from '../../dist/src/index.js';
import { tinyChatAsGguf } from '../backends/llama/tiny-gguf.ts';
import type { Materials } from './engine.ts';
import { writeCheckpoint } from './write-checkpoint.ts';

const models = new URL('../../examples/models/', import.meta.url).pathname;
/** The server's name of the graph → the model. */
const graphs = { embedder: 'tiny-embed', detector: 'tiny-detect' } as const;

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
    },
  });
  const materials = {
    scratch,
    graphs: join(scratch, 'graphs'),
    models: join(scratch, 'models'),
    gguf: join(scratch, 'tiny-chat.gguf'),
    checkpoint: join(scratch, 'tiny-chat'),
    chatURL: '',
  };
  await mkdir(materials.graphs);
  for (const [name, model] of Object.entries(graphs)) {
    const filter = (path: string): boolean => !path.endsWith('.onnx') && !path.includes('/recipe');
    await cp(join(models, model), join(materials.models, model), { recursive: true, filter });
    await cp(join(models, model, 'onnx/model.onnx'), join(materials.graphs, `${name}.onnx`));
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
