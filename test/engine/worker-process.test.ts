import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it, vi } from 'vitest';
import { memorySettings, startWorkerProcess } from '../../src/engine/worker-process.ts';

/** A file with the source of a worker, for as long as `use` takes. */
async function withWorkerFile(source: string, use: (worker: URL) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'worker-process-'));
  const file = join(folder, 'worker.mjs');
  await writeFile(file, source);
  try {
    await use(pathToFileURL(file));
  } finally {
    await rm(folder, { recursive: true });
  }
}

it.each([true, false])('pipes without ref and unref, as in Bun, are left as they are (held: %s)', (held) =>
  withWorkerFile('setInterval(() => {}, 1000);', async (file) => {
    const onExit = vi.fn<(reason: string) => void>();
    const worker = startWorkerProcess(
      { worker: file },
      { onMessage: vi.fn<() => void>(), onBeat: vi.fn<() => void>(), onExit },
    );
    const { ref, unref } = Socket.prototype;
    try {
      Object.assign(Socket.prototype, { ref: undefined, unref: undefined });
      expect(() => worker.hold(held)).not.toThrow();
    } finally {
      Object.assign(Socket.prototype, { ref, unref });
      worker.hold(true);
      worker.kill();
      await vi.waitFor(() => expect(onExit).toHaveBeenCalled());
    }
  }),
);

it.each([
  [undefined, memorySettings],
  ['glibc.malloc.hugetlb=0', 'glibc.malloc.hugetlb=0'],
])('a worker takes its memory in large pages, unless its host (%s) says otherwise', (hosts, wanted) =>
  withWorkerFile('process.send(process.env.GLIBC_TUNABLES);', async (worker) => {
    vi.stubEnv('GLIBC_TUNABLES', hosts);
    try {
      const told = await new Promise((resolve, reject) => {
        const onExit = (reason: string): void => reject(new Error(reason));
        startWorkerProcess({ worker }, { onMessage: resolve, onBeat: () => {}, onExit });
      });
      expect(told).toBe(wanted);
    } finally {
      vi.unstubAllEnvs();
    }
  }),
);
