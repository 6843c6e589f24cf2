import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  chat,
  createInference,
  detection,
  embedding,
  image,
  remote,
  rerank,
  type Inference,
} from '../../dist/src/index.js';
import { freePortRange, installedProxies } from '../deploy/topology.ts';
import { cancel } from './checks/cancel.ts';
import {
  equalAnswers,
  equalCalls,
  equalLogProbabilities,
  equalPictures,
  equalScores,
  equalTensors,
} from './checks/equal-results.ts';
import { killAndRestart } from './checks/kill-and-restart.ts';
import { leaveMidStream } from './checks/leave-mid-stream.ts';
import { twoHosts } from './checks/two-hosts.ts';
import { startEngine, type Engine, type RunningEngine } from './engine.ts';
import { engines } from './engines.ts';
import { openWorkshop, type Workshop } from './materials.ts';
import { writeMatrix, type columns, type Row } from './matrix-table.ts';

// `npm run test:engines` installs the engines where they are missing; `ENGINES=mlserver,litellm` runs some of them.
const wanted = process.env['ENGINES']?.toLowerCase().split(',');
const chosen = engines.filter(({ name }) => wanted?.some((one) => name.toLowerCase().includes(one)) ?? true);

const rows: Row[] = [];
let workshop: Workshop;
beforeAll(async () => void (workshop = await openWorkshop()), 120_000);
afterAll(async () => {
  await workshop.close();
  await writeMatrix(
    rows,
    engines.map(({ name }) => name),
    foot(),
  );
});

describe.each(chosen)('$name', (engine) => {
  let running: RunningEngine | undefined;
  let far: Inference | undefined;
  let port = 0;
  const cells: Partial<Record<(typeof columns)[number], string>> = {};
  const row = { engine: engine.name, version: '', cells, missing: undefined as string | undefined };
  const start = () => startEngine(engine, port, workshop.materials);

  beforeAll(async () => {
    rows.push(row);
    try {
      row.version = engine.version();
    } catch (error) {
      row.missing = (error as Error).message.slice(0, 200);
      return;
    }
    // One that is installed and doesn't start is a failure.
    port = await freePortRange(engine.ports ?? 1);
    running = await start();
    far = openFar(engine, running, workshop);
    await far.ready();
  }, 3_600_000);
  afterAll(async () => {
    await far?.close();
    await running?.kill();
  });

  /** A check whose figures, or failure, stand in the matrix. */
  const check = (column: (typeof columns)[number], body: () => Promise<string>, isLast = false): void =>
    it(column, { timeout: 600_000 }, async (context) => {
      if (row.missing !== undefined) return context.skip(`not run: ${row.missing}`);
      cells[column] = 'failed';
      try {
        cells[column] = await body();
      } finally {
        if (isLast) await far?.close();
      }
    });

  check('equal results', () =>
    engine.serves === 'chat' ? equalAnswers(workshop.local, far!) : equalTensors(workshop.local, far!),
  );
  if (engine.serves === 'chat') {
    if (!engine.reordersTools) check('tools', () => equalCalls(workshop.local, far!));
    check('log probabilities', () => equalLogProbabilities(workshop.local, far!));
    check('cancellation', () => cancel(far!, () => engine.running!(running!.origin, workshop.materials)));
    check('left mid-stream', () => leaveMidStream(workshop.local, far!));
  } else {
    check('rerank', () => equalScores(workshop.local, far!));
    check('image', () => equalPictures(workshop.local, far!));
  }
  check('killed and restarted', async () => {
    const ask = (): Promise<unknown> =>
      engine.serves === 'chat'
        ? drain(far!.chat(shortChat))
        : far!.embed({ model: 'embedder', input: 'a red circle' });
    const [figures, back] = await killAndRestart({ ask, running: running!, restart: start });
    running = back;
    return figures;
  });
  check('rolling restart', async () => {
    if (!installedProxies.includes('haproxy'))
      throw new Error('expected haproxy and redis-server to be installed');
    const { origin } = running!;
    const servers =
      engine.serves === 'chat'
        ? { chatServer: { url: `${origin}/v1`, model: 'tiny-chat' } }
        : {
            graphServer: {
              url: origin,
              folder: workshop.materials.models,
              hasDetector: engine.takesBytes === true,
            },
          };
    const { quota, rolling } = await twoHosts(servers, engine.takesBytes ? await picture() : undefined);
    cells['quota over two hosts'] = quota;
    return rolling;
  });
});

it('some engine was run', () => {
  expect(rows.filter(({ missing }) => missing === undefined).length).toBeGreaterThan(0);
});

const shortChat = {
  model: 'chat',
  messages: [{ role: 'user', content: 'What is 2 + 3?' }],
  maxTokens: 20,
} as const;

async function drain(events: AsyncIterable<unknown>): Promise<void> {
  for await (const event of events) void event;
}

/** The models of this machine, run by the engine. */
function openFar(
  { serves, settings }: Engine,
  { origin }: RunningEngine,
  { materials }: Workshop,
): Inference {
  if (serves === 'chat') {
    const backend = remote.openai({ baseURL: `${origin}/v1`, ...settings });
    return createInference({ models: { chat: chat({ source: 'tiny-chat', backend }) } });
  }
  const graph = (model: string | Record<string, string>) =>
    remote.kserve({ url: origin, ...settings, model });
  const parts = { unet: 'unet', text_encoder: 'text-encoder', vae_decoder: 'vae-decoder' };
  const source = (name: string): string => join(materials.models, name);
  return createInference({
    models: {
      embedder: embedding({ source: source('tiny-embed'), backend: graph('embedder') }),
      detector: detection({ source: source('tiny-detect'), backend: graph('detector') }),
      reranker: rerank({ source: source('tiny-rerank'), backend: graph('reranker') }),
      painter: image({ source: source('tiny-image'), backend: graph(parts) }),
    },
  });
}

async function picture(): Promise<string> {
  const size = { width: 64, height: 64, channels: 3, background: 'red' } as const;
  return (await sharp({ create: size }).png().toBuffer()).toString('base64');
}

function foot(): string {
  const versionOf = (program: string): string =>
    /\d+\.\d+[\w.-]*/.exec(spawnSync(program, ['-v'], { encoding: 'utf8' }).stdout ?? '')?.[0] ?? 'missing';
  const day = new Date().toISOString().slice(0, 10);
  return `Last run on ${day}: Node ${process.version.slice(1)}, haproxy ${versionOf('haproxy')}, Redis ${versionOf('redis-server')}.`;
}
