import { expect, it } from 'vitest';
import { createProgressLine, type DownloadProgress } from '../../src/hub/progress.ts';

function show(isTTY: boolean, ...news: Partial<DownloadProgress>[]): string[] {
  const lines: string[] = [];
  const line = createProgressLine({ isTTY, columns: 60, write: (text) => lines.push(text) });
  const overall = { files: 2, finishedFiles: 1, receivedBytes: 3e6, totalBytes: 4e6 };
  for (const one of news) {
    line({
      type: 'file-progress',
      source: 'org/name',
      file: 'onnx/model.onnx',
      receivedBytes: 2e6,
      totalBytes: 3e6,
      overall,
      ...one,
    });
  }
  return lines;
}

it('changes one line of a terminal, and leaves it when all is there', () => {
  const over = { files: 2, finishedFiles: 2, receivedBytes: 4e6, totalBytes: 4e6 };
  expect(show(true, {}, { type: 'file-end', overall: over })).toEqual([
    '\r\u001B[Kslashv1: org/name: 3.0 MB of 4.0 MB (75 %), 1 of 2 files, o',
    '\r\u001B[Kslashv1: org/name: 4.0 MB of 4.0 MB (100 %), 2 files\n',
  ]);
});

it('writes a line elsewhere when a file begins or ends', () => {
  const lines = show(
    false,
    { type: 'file-begin', receivedBytes: 0 },
    {},
    { type: 'file-end' },
    { type: 'file-begin', file: 'config.json', receivedBytes: 10, totalBytes: 700 },
    { type: 'file-begin', file: 'a', receivedBytes: 0, totalBytes: undefined },
  );
  expect(lines).toEqual([
    'slashv1: org/name: downloading onnx/model.onnx (3.0 MB)\n',
    'slashv1: org/name: got onnx/model.onnx (3.0 MB)\n',
    'slashv1: org/name: downloading config.json (0.7 kB), 0.0 kB are there\n',
    'slashv1: org/name: downloading a\n',
  ]);
});
