import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { needs, otherSystem } from '../needs.ts';

it(
  'a process without a file left serves what needs none, refuses the rest for a while, and goes on afterwards',
  { ...needs(otherSystem('linux', 'darwin')), timeout: 60_000 },
  async () => {
    const script = join(import.meta.dirname, 'few-files.js');
    const command = 'ulimit -n 300; exec "$0" "$1"';
    const { stdout } = await promisify(execFile)('sh', ['-c', command, process.execPath, script]);
    const { held, ...answers } = JSON.parse(stdout.trim().split('\n').at(-1)!);
    expect(held).toBeGreaterThan(5);
    expect(answers).toEqual({
      before: { chat: 200, upload: 200 },
      without: { chat: 200, upload: 503, load: 'overloaded', embedding: '503, again after 10 s' },
      after: { chat: 200, upload: 200, embedding: '200' },
    });
  },
);
