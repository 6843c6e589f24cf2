import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTinyGraphs } from './graphs.ts';
import { chatQuestions, otherQuestion, post, startLoad, type Question } from './load.ts';
import { installedProxies, startTopology, type Topology } from './topology.ts';

// haproxy, nginx and Redis where they are installed, and graphs on a third server.
const proxies = installedProxies.length > 0 ? installedProxies : [undefined];
const places = proxies.map((proxy) => ({ proxy, name: proxy ?? 'the balancer of these tests' }));
/** A rate that two hosts have to stand. */
const perSecond = 20;
const leastRequests = 600;

describe.each(places)('behind $name', ({ proxy }) => {
  let topology: Topology;
  let graphServer: Awaited<ReturnType<typeof startTinyGraphs>>;
  beforeAll(async () => {
    graphServer = await startTinyGraphs();
    topology = await startTopology({ proxy, graphServer });
    await topology.ready();
  }, 120_000);
  afterAll(async () => {
    await topology.close();
    await graphServer.close();
  });

  it('two hosts are restarted in turn under load, and no request fails', { timeout: 300_000 }, async () => {
    const load = startLoad(topology, { perSecond, questions: withGraphs(graphServer) });
    let restarts = 0;
    for (; load.sent < leastRequests; restarts += 2) {
      for (const host of [0, 1] as const) await topology.restart(host);
    }
    const outcomes = await load.stop();
    const between = proxy ? `${proxy} and Redis` : 'the balancer and the store of the tests';
    console.log(
      `${load.sent} requests, ${restarts} restarts, over ${between}:`,
      Object.fromEntries(outcomes),
    );
    expect(Object.fromEntries(outcomes)).toEqual({ done: load.sent });
  });

  it('two hosts share their limits exactly', { timeout: 120_000 }, async () => {
    const { origin, trialKey } = topology;
    const body = { model: 'assistant', messages: [{ role: 'user', content: 'Hello' }] };
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => post({ origin, key: trialKey }, '/v1/chat/completions', body)),
    );
    const count = (wanted: number): number => answers.filter(({ status }) => status === wanted).length;
    expect([count(200), count(429)]).toEqual([10, 20]);
  });
});

/** The graphs run in this process, so few of the questions are about pictures. */
function withGraphs({ picture }: { readonly picture: string }): readonly Question[] {
  const embed = otherQuestion('/v1/embeddings', { model: 'embedder', input: 'a red circle' }, '"embedding"');
  const detect = otherQuestion('/v1/detect', { model: 'detector', image: picture }, '"detections"');
  const round = [...chatQuestions, embed];
  return [...round, ...round, ...round, ...round, detect];
}
