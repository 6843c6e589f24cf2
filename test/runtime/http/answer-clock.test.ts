import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createAnswerClock, type AnswerClock } from '../../../src/runtime/http/answer-clock.ts';
import { readBytes } from '../../../src/runtime/http/answer-body.ts';

const silentAfter = (count: number): Response =>
  new Response(
    new ReadableStream<Uint8Array>({
      pull(controller) {
        if (count-- > 0) controller.enqueue(new Uint8Array(1));
        else return new Promise(() => {});
      },
    }),
  );

async function read(clock: AnswerClock, response: Response, pauseMs: number): Promise<number> {
  let received = 0;
  for await (const { byteLength } of readBytes(response, { clock })) {
    received += byteLength;
    await pause(pauseMs);
  }
  return received;
}

it('gives up a server that falls silent, after any number of bytes', async () => {
  const clock = createAnswerClock({ firstByteMs: 10_000, idleMs: 30 });
  await expect(read(clock, silentAfter(5), 0)).rejects.toThrow('it sent nothing for 30 ms');
  expect(clock.signal.aborted).toBe(true);
});

it('counts no time in which nobody reads', async () => {
  const clock = createAnswerClock({ firstByteMs: 10_000, idleMs: 30 });
  const whole = new Response(new Uint8Array(1));
  await clock.wait(() => Promise.resolve());
  clock.tick();
  await clock.wait(() => Promise.resolve());
  await pause(60);
  await expect(read(clock, whole, 60)).resolves.toBe(1);
  expect(clock.signal.aborted).toBe(false);
});

it('gives up a server whose first byte is late, counted from the beginning', async () => {
  const clock = createAnswerClock({ firstByteMs: 50, idleMs: 10_000 });
  await clock.wait(() => pause(30));
  await expect(read(clock, silentAfter(0), 0)).rejects.toThrow('it sent nothing for 50 ms');
});
