import { expect, it } from 'vitest';
import { createProgressBar } from '../../src/cli/load-models.ts';
import type { DownloadProgress } from '../../src/hub/progress.ts';
import { fakeStream } from './fake-terminal.ts';

function progress(receivedBytes: number, finishedFiles = 0): DownloadProgress {
  return {
    type: 'file-progress',
    source: 'org/name',
    file: 'model.onnx',
    receivedBytes,
    totalBytes: 100e6,
    overall: { files: 1, finishedFiles, receivedBytes, totalBytes: 100e6 },
  };
}

it('shows how much is there, how fast it comes, and how long it will take', () => {
  const stream = fakeStream({ isTTY: true, columns: 100 });
  let nowMs = 0;
  const bar = createProgressBar(stream, () => nowMs);
  bar.update(progress(20e6));
  nowMs = 2000;
  bar.update(progress(60e6));
  nowMs = 4000;
  bar.update(progress(100e6, 1));
  bar.end();
  const [, first, second, third] = stream.text.split('\r\u001B[K');
  expect(first).toBe('org/name  █████░░░░░░░░░░░░░░░░░░░  20 %  20 MB of 100 MB');
  expect(second).toBe('org/name  ██████████████░░░░░░░░░░  60 %  60 MB of 100 MB  20 MB/s  2.0 s left');
  expect(third).toBe('org/name  ████████████████████████ 100 %  100 MB of 100 MB  20 MB/s\n');
});

it('never wraps', () => {
  const stream = fakeStream({ isTTY: true, columns: 30 });
  const bar = createProgressBar(stream);
  bar.update(progress(50e6));
  bar.update({ ...progress(50e6), source: 'o'.repeat(80) });
  for (const line of stream.text.split('\r\u001B[K')) expect(line.length).toBeLessThan(30);
});

it('leaves the line when a download breaks off', () => {
  const stream = fakeStream({ isTTY: true });
  const bar = createProgressBar(stream);
  bar.update(progress(50e6));
  bar.end();
  bar.end();
  expect(stream.text.match(/\n/g)).toHaveLength(1);
});

it('writes lines that stay where there is no terminal', () => {
  const stream = fakeStream();
  const bar = createProgressBar(stream);
  bar.update({ ...progress(0), type: 'file-begin' });
  bar.update(progress(50e6));
  expect(stream.text).toBe('slashv1: org/name: downloading model.onnx (100.0 MB)\n');
});
