import { afterEach, describe, expect, it } from 'vitest';
import { startTinyGraphs } from './graphs.ts';
import { otherQuestion, post, startLoad } from './load.ts';
import { hasRealPrograms, startTopology, type Topology } from './topology.ts';

// `npm run test:deploy` is the long run: haproxy and Redis where they are installed, and graphs on a third server.
const isFull = process.env['TEST_DEPLOY'] === 'full';
const real = isFull && hasRealPrograms;
const perSecond = 20;

let topology: Topology | undefined;
afterEach(() => topology?.close());

describe('two hosts', () => {
  it(
    `are restarted in turn under ${perSecond} requests a second, and none fails`,
    { timeout: 300_000 },
    async () => {
      const graphServer = isFull ? await startTinyGraphs() : undefined;
      topology = await startTopology({ real, graphServer, requestsPerMinute: 100_000 });
      await topology.ready();
      const { picture } = graphServer ?? {};
      const others = graphServer
        ? [
            otherQuestion('/v1/embeddings', { model: 'embedder', input: 'a red circle' }, '"embedding"'),
            otherQuestion('/v1/detect', { model: 'detector', image: picture }, '"detections"'),
          ]
        : [];
      const load = startLoad(topology, { perSecond, others });
      let rounds = 0;
      do {
        for (const host of [0, 1] as const) await topology.restart(host);
        rounds += 1;
      } while (isFull && load.sent < 600);
      const outcomes = await load.stop();
      if (isFull) {
        const between = real ? 'haproxy and Redis' : 'the balancer and the store of the tests';
        console.log(
          `${load.sent} requests, ${rounds} × 2 restarts over ${between}:`,
          Object.fromEntries(outcomes),
        );
      }
      expect(Object.fromEntries(outcomes)).toEqual({ done: load.sent });
      expect(load.sent).toBeGreaterThan(isFull ? 599 : 2 * perSecond);
      await graphServer?.close();
    },
  );

  it('share their limits exactly', { timeout: 60_000 }, async () => {
    topology = await startTopology({ real, requestsPerMinute: 10 });
    await topology.ready();
    const body = { model: 'assistant', messages: [{ role: 'user', content: 'Hello' }] };
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => post(topology!, '/v1/chat/completions', body)),
    );
    const count = (wanted: number): number => answers.filter(({ status }) => status === wanted).length;
    expect([count(200), count(429)]).toEqual([10, 20]);
  });
});
