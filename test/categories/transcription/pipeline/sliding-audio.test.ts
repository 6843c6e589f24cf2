import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SlidingAudio } from '../../../../src/categories/transcription/pipeline/transcriber.ts';

/** Samples that count up, in blocks of the given lengths; notes how many blocks were taken. */
function counting(lengths: readonly number[]) {
  const taken = { blocks: 0 };
  async function* blocks() {
    let next = 0;
    for (const length of lengths) {
      taken.blocks++;
      yield Float32Array.from({ length }, () => next++);
    }
  }
  return { audio: new SlidingAudio(blocks()), taken };
}

const range = (start: number, end: number) =>
  Array.from({ length: Math.max(0, end - start) }, (_, i) => start + i);

describe('SlidingAudio', () => {
  it('reads what is there, whatever the blocks', async () => {
    const lengths = fc.array(fc.nat(9), { maxLength: 12 });
    const reads = fc.array(fc.tuple(fc.nat(8), fc.nat(20)), { maxLength: 10 });
    await fc.assert(
      fc.asyncProperty(lengths, reads, async (blocks, steps) => {
        const total = blocks.reduce((sum, length) => sum + length, 0);
        const { audio } = counting(blocks);
        let start = 0;
        for (const [step, count] of steps) {
          start += step;
          expect([...(await audio.read(start, count))]).toEqual(range(start, Math.min(start + count, total)));
        }
      }),
    );
  });

  it('takes no more blocks than it needs', async () => {
    const { audio, taken } = counting([10, 10, 10, 10]);
    await audio.read(0, 10);
    expect(taken.blocks).toBe(1);
    await audio.read(5, 10);
    expect(taken.blocks).toBe(2);
    await audio.read(35, 1);
    expect(taken.blocks).toBe(4);
    expect(audio.length).toBe(40);
  });
});
