import { expect, it } from 'vitest';
import { driveRun } from '../../src/engine/drive-run.ts';
import type { ChatEvent } from '../../src/categories/chat/events.ts';
import type { Pipeline } from '../../src/contracts/category.ts';
import { textOf, toy } from './toy-requests.ts';

function pipelineOf(run: Pipeline['run']): Pipeline {
  return { run } as Pipeline;
}

it('stops a pipeline that ignores the signal at its next event', async () => {
  const controller = new AbortController();
  let steps = 0;
  const endless = pipelineOf(async function* () {
    while (true) yield { type: 'text-delta', choice: 0, text: String(++steps) } as const;
  });
  const events: ChatEvent[] = [];
  const error = await driveRun(endless, toy({}), controller, (event) => {
    events.push(event as ChatEvent);
    if (events.length === 3) controller.abort();
  });
  expect(error).toMatchObject({ code: 'cancelled' });
  expect(events.map(textOf)).toEqual(['1', '2', '3']);
  expect(steps).toBe(4);
});

it('calls whatever is thrown after a cancellation a cancellation', async () => {
  const controller = new AbortController();
  const throwing = pipelineOf(async function* () {
    yield { type: 'text-delta', choice: 0, text: '1' } as const;
    controller.signal.throwIfAborted();
  });
  const error = await driveRun(throwing, toy({}), controller, () => controller.abort());
  expect(error).toMatchObject({ code: 'cancelled' });
});

it.each([
  [
    'at once',
    () => {
      throw new TypeError('odd');
    },
  ],
  [
    'while running',
    async function* () {
      yield { type: 'prompt-end', promptTokens: 1 };
      throw new TypeError('odd');
    },
  ],
])('keeps the cause of an unknown error thrown %s', async (_when, run) => {
  const error = await driveRun(pipelineOf(run as never), toy({}), new AbortController(), () => undefined);
  expect(error).toMatchObject({ code: 'internal', message: 'Internal error.', cause: new TypeError('odd') });
});

it('gives others their turn among many events', async () => {
  const many = pipelineOf(async function* () {
    for (let step = 0; step < 10_000; step++) yield { type: 'text-delta', choice: 0, text: '' } as const;
  });
  let turns = 0;
  let next: NodeJS.Immediate;
  const count = (): void => {
    turns++;
    next = setImmediate(count);
  };
  count();
  await driveRun(many, toy({}), new AbortController(), () => {});
  clearImmediate(next!);
  expect(turns).toBeGreaterThan(30);
});
