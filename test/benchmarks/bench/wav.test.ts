import { expect, it } from 'vitest';
import { wavSeconds } from '../../../benchmarks/bench/remote-subject.ts';

function header(byteRate: number): Uint8Array {
  const bytes = Buffer.alloc(44);
  bytes.write('RIFF');
  bytes.writeUInt32LE(byteRate, 28);
  return bytes;
}

it('tells the length of a file whose size was not known when it began', () => {
  expect(wavSeconds(header(48_000), 44 + 96_000)).toBe(2);
});

it.each([[undefined], [new Uint8Array(10)], [new Uint8Array(44)], [header(0)]])(
  'tells nothing of %s',
  (head) => {
    expect(wavSeconds(head, 1000)).toBe(0);
  },
);
