import type { PcmBlock } from './pcm.ts';

/** Reads blocks once for a reader of each channel; the others find in a queue of theirs what one has read. */
export function splitChannels(
  blocks: AsyncIterator<PcmBlock, unknown>,
  count: number,
): AsyncGenerator<PcmBlock>[] {
  const queues = Array.from({ length: count }, (): PcmBlock[] => []);
  return queues.map(async function* (queue) {
    for (;;) {
      while (queue.length > 0) yield queue.shift()!;
      const { done, value } = await blocks.next();
      if (done === true) break;
      for (const [at, other] of queues.entries())
        other.push({ ...value, channels: [value.channels[Math.min(at, value.channels.length - 1)]!] });
    }
    // Another reader may have got the last block while this one waited.
    yield* queue;
  });
}
