import { otherQuestion, post, startLoad, type Question } from '../../deploy/load.ts';
import { startTopology, type TopologyOptions } from '../../deploy/topology.ts';

const leastRequests = 600;

const embeddings = { model: 'embedder', input: 'a red circle' };
const asked = {
  model: 'assistant',
  messages: [{ role: 'user', content: 'What is 2 + 3?' }],
  // The answer is the same each time, and ends before the limit.
  temperature: 0,
  max_tokens: 60,
};

/**
 * Two hosts behind haproxy, with Redis, before one engine: limits are exact, and restarts in turn fail no request.
 *
 * @param picture looked at too, where an engine takes tensors as bytes: as JSON it has 23 MB
 */
export async function twoHosts(
  servers: Pick<TopologyOptions, 'graphServer' | 'chatServer'>,
  picture: string | undefined,
): Promise<{ readonly quota: string; readonly rolling: string }> {
  const questions = servers.chatServer ? chatQuestions : graphQuestions(picture);
  const topology = await startTopology({ proxy: 'haproxy', ...servers });
  try {
    await topology.ready();
    const load = startLoad(topology, { atOnce: 4, questions });
    let restarts = 0;
    for (; restarts === 0 || load.sent < leastRequests; restarts += 2) {
      for (const host of [0, 1] as const) await topology.restart(host);
    }
    const outcomes = Object.fromEntries(await load.stop());
    const done = outcomes['done'] ?? 0;
    if (done !== load.sent) throw new Error(JSON.stringify(outcomes));
    const { path, body } = questions[0]!;
    const trial = { origin: topology.origin, key: topology.trialKey };
    const answers = await Promise.all(Array.from({ length: 30 }, () => post(trial, path, body)));
    const count = (wanted: number): number => answers.filter(({ status }) => status === wanted).length;
    if (count(200) !== 10 || count(429) !== 20)
      throw new Error(`${count(200)} passed, ${count(429)} refused`);
    return { quota: '10 of 30 pass', rolling: `0 of ${done} failed, ${restarts} restarts` };
  } finally {
    await topology.close();
  }
}

const whole = otherQuestion('/v1/chat/completions', asked, '"finish_reason":"stop"');
const stream = otherQuestion('/v1/chat/completions', { ...asked, stream: true }, 'data: [DONE]');
const chatQuestions: readonly Question[] = [whole, stream, stream];

function graphQuestions(image: string | undefined): readonly Question[] {
  const embed = otherQuestion('/v1/embeddings', embeddings, '"embedding"');
  if (image === undefined) return [embed];
  return [embed, otherQuestion('/v1/detect', { model: 'detector', image }, '"detections"')];
}
