import { chmod, mkdir, mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { locateModel } from '../../src/folder/source.ts';
import { obtainModel } from '../../src/loading/files.ts';
import { filesIn, readFolder, startHub, type HubServer } from '../hub/hub-server.ts';
import { needs, otherSystem } from '../needs.ts';

const source = 'tiny/embed';
let hub: HubServer;
let folder: string;
beforeAll(async () => void (hub = await startHub()));
afterAll(() => hub.close());
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slashv1-disk-'));
  hub.models.set(source, readFolder(locateModel('tiny-embed')));
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(folder, { recursive: true, force: true });
});

const obtain = (cacheFolder = folder) =>
  obtainModel(
    { source, category: 'embedding', hub: { endpoint: hub.endpoint, cacheFolder } },
    { retry: { minDelayMs: 1, attempts: 2, stallMs: 2000 } },
  );

const faultOf = (code: string): Error =>
  Object.assign(new Error(`${code}: write`), { code, syscall: 'write' });

/** Lets every file that is open fail, from a call of a method on. */
async function failFrom(call: number, method: 'write' | 'sync' | 'truncate', code: string) {
  const handle = await open(join(folder, 'any'), 'w');
  const prototype = Object.getPrototypeOf(handle) as typeof handle;
  await handle.close();
  const real = prototype[method] as (...args: unknown[]) => Promise<unknown>;
  let calls = 0;
  return vi.spyOn(prototype, method as 'sync').mockImplementation(function (this: unknown, ...args) {
    if (calls++ >= call) return Promise.reject(faultOf(code));
    return real.apply(this, args) as Promise<void>;
  });
}

describe('a disk that is full in the middle of a download', () => {
  it.each([
    ['ENOSPC', 3, 'write'],
    ['EDQUOT', 3, 'write'],
    ['ENOSPC', 0, 'write'],
    ['ENOSPC', 0, 'sync'],
    ['EIO', 2, 'write'],
    ['ENOSPC', 0, 'truncate'],
  ] as const)(
    'is named, and the download goes on where there is room again: %s at call %d of %s',
    async (...fault) => {
      const [code, call, method] = fault;
      const failing = await failFrom(call, method, code);
      await expect(obtain()).rejects.toMatchObject({
        code: 'worker_failed',
        param: 'source',
        message: expect.stringMatching(code === 'EIO' ? /can't be used \(EIO\)/ : /is full/),
      });
      failing.mockRestore();
      const { source: obtained } = await obtain();
      expect(filesIn(obtained)).toContain('onnx/model.onnx');
    },
  );
});

describe('a home that nothing can be written to', () => {
  const isRoot = process.getuid?.() === 0;
  const asSentence = {
    code: 'worker_failed',
    param: 'source',
    message: expect.stringContaining('SLASHV1_CACHE'),
  };

  it('because it is another file', async () => {
    const file = join(folder, 'home');
    await writeFile(file, '');
    await expect(obtain(join(file, 'cache'))).rejects.toMatchObject(asSentence);
  });

  it('because the system makes no folders there', needs(otherSystem('linux')), async () => {
    await expect(obtain('/sys/slashv1')).rejects.toMatchObject(asSentence);
    // The one of `mkdir` would try for ever.
    const never =
      /the cache folder \/proc\/slashv1\/models can't be used \(ENOENT\); SLASHV1_CACHE names another one/;
    await expect(obtain('/proc/slashv1/models')).rejects.toThrow(never);
  });

  it(
    'because its folder is not writable',
    needs(isRoot ? 'root may write everywhere' : otherSystem('linux', 'darwin')),
    async () => {
      const home = join(folder, 'home');
      await mkdir(home, { mode: 0o555 });
      await expect(obtain(join(home, 'cache'))).rejects.toMatchObject(asSentence);
      await chmod(home, 0o755);
    },
  );
});
