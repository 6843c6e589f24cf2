import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

/** `npm run build && SLASHV1_KEPT_SECONDS=600 npx vitest run test/security/kept-fuzz.test.ts` */
const seconds = Number(process.env['SLASHV1_KEPT_SECONDS'] ?? 5);

it(
  'random sequences of requests lose nothing that is kept, within a heap of 512 MB',
  async () => {
    const program = join(import.meta.dirname, 'kept-fuzz.js');
    const options = ['--expose-gc', '--max-old-space-size=512', program, String(seconds)];
    const { stdout, stderr } = await promisify(execFile)(process.execPath, options);
    expect(stderr).toBe('');
    const { requests, heaps } = JSON.parse(stdout);
    console.log(stdout);
    expect(requests).toBeGreaterThan(100);
    // What the callers own grows up to its bound at first.
    expect(Math.max(...heaps)).toBeLessThan(200);
  },
  (seconds + 60) * 1000,
);
