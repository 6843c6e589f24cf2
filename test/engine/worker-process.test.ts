import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it, vi } from 'vitest';
import { startWorkerProcess } from '../../src/engine/worker-process.ts';

it.each([true, false])(
  'pipes without ref and unref, as in Bun, are left as they are (held: %s)',
  async (held) => {
    const folder = await mkdtemp(join(tmpdir(), 'worker-process-'));
    const file = join(folder, 'worker.mjs');
    await writeFile(file, 'setInterval(() => {}, 1000);');
    const onExit = vi.fn<(reason: string) => void>();
    const worker = startWorkerProcess(
      { worker: pathToFileURL(file) },
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
      await rm(folder, { recursive: true });
    }
  },
);
