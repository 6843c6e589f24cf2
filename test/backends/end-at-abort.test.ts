import { expect, it } from 'vitest';
import type { DetectionEvent, DetectionModelInfo } from '../../src/categories/detection/events.ts';
import type { DetectionRequest } from '../../src/categories/detection/request.ts';
import type { Pipeline } from '../../src/contracts/category.ts';
import { endAtAbort } from '../../src/backends/kserve/sessions.ts';

const request = {} as DetectionRequest;
const event: DetectionEvent = { type: 'detections', detections: [], image: { width: 1, height: 1 } };

/** Waits for another machine, which the test plays. */
function waitingPipeline() {
  const state = { answer: (_event: DetectionEvent) => {}, fail: (_error: Error) => {}, isOver: false };
  const pipeline: Pipeline<DetectionRequest, DetectionEvent, DetectionModelInfo> = {
    info: { id: 'a', name: 'a', category: 'detection', contextLength: 0, created: 0, ownedBy: 'x' },
    concurrency: 3,
    async *run() {
      try {
        yield await new Promise<DetectionEvent>((resolve, reject) => {
          Object.assign(state, { answer: resolve, fail: reject });
        });
      } finally {
        state.isOver = true;
      }
    },
    close: async () => {},
  };
  return { state, pipeline: { ...pipeline, run: endAtAbort(pipeline) } };
}

it('passes on what a run makes', async () => {
  const { state, pipeline } = waitingPipeline();
  expect(pipeline).toMatchObject({ info: { id: 'a' }, concurrency: 3 });
  for (const options of [{}, { signal: new AbortController().signal }]) {
    const events = pipeline.run(request, options)[Symbol.asyncIterator]();
    const first = events.next();
    state.answer(event);
    expect(await first).toEqual({ done: false, value: event });
    expect(await events.next()).toEqual({ done: true, value: undefined });
  }
});

it.each([
  ['answers', ({ answer }: ReturnType<typeof waitingPipeline>['state']) => answer(event)],
  ['fails', ({ fail }: ReturnType<typeof waitingPipeline>['state']) => fail(new Error('late'))],
])('ends a cancelled run before the other machine %s', async (_what, settle) => {
  const { state, pipeline } = waitingPipeline();
  const controller = new AbortController();
  const first = pipeline.run(request, { signal: controller.signal })[Symbol.asyncIterator]().next();
  controller.abort();
  await expect(first).rejects.toMatchObject({ code: 'cancelled' });
  expect(state.isOver).toBe(false);
  settle(state);
  await expect.poll(() => state.isOver).toBe(true);
});
