import { cp, mkdtemp, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createInference } from '../../dist/src/index.js';
import { locateModel } from '../../src/folder/source.ts';

const graph = 'onnx/model.onnx';
const changes: Readonly<Record<string, (folder: string) => Promise<unknown>>> = {
  replaced: async (folder) => {
    await writeFile(join(folder, 'new'), 'no graph');
    await rename(join(folder, 'new'), join(folder, graph));
  },
  'cut-short': (folder) => truncate(join(folder, graph), 100),
  removed: (folder) => rm(folder, { recursive: true }),
};

// What maps a file that is cut short may end its process; the others need none of their own.
it.each([
  ['inline', ['replaced', 'removed']],
  ['process', ['cut-short']],
] as const)(
  'a file that changes while it runs costs no request, and fails the next load: %s, %j',
  async (...given) => {
    const [isolation, names] = given;
    const root = await mkdtemp(join(tmpdir(), 'slashv1-replaced-'));
    await Promise.all(
      names.map((name) => cp(locateModel('tiny-embed'), join(root, name), { recursive: true })),
    );
    const inference = createInference({
      isolation,
      models: Object.fromEntries(names.map((name) => [name, { source: join(root, name) }])),
    });
    onTestFinished(async () => {
      await inference.close({ graceMs: 0 });
      await rm(root, { recursive: true, force: true });
    });
    const embed = async (model: string): Promise<readonly number[]> => {
      const { embeddings } = await inference.embed({ model, input: 'a red circle' });
      return [...embeddings[0]!];
    };
    await inference.ready();
    await Promise.all(
      names.map(async (name) => {
        const before = await embed(name);
        await changes[name]!(join(root, name));
        expect(await embed(name)).toEqual(before);
        await inference.unload(name);
        await expect(inference.load(name)).rejects.toMatchObject({
          code: expect.stringMatching(/^(worker_failed|invalid_request)$/),
        });
      }),
    );
  },
  60_000,
);
