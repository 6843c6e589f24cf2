import { fork, type ChildProcess } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { residentMiB, workersOf } from '../engine/processes.ts';
import { createAttacks, recordingForm, sendRequest, type Outcome } from './attacks.ts';
import { needs, otherSystem } from '../needs.ts';

/** `npm run build && SLASHV1_SOAK_MINUTES=30 npx vitest run test/security/soak.test.ts` */
const minutes = Number(process.env['SLASHV1_SOAK_MINUTES'] ?? 0);
const innocents = 4;
const attackers = 3;
const sampleMs = 10_000;
const strikeMs = 30_000;

/** A signal to a worker, and what became of it. */
interface Strike {
  readonly model: string;
  readonly signal: 'SIGKILL' | 'SIGSTOP';
  readonly at: number;
  lostAt: number;
  readyAt: number;
}

/** A request that failed. */
interface Failure {
  readonly name: string;
  readonly model: string | undefined;
  readonly outcome: Outcome;
  readonly startedAt: number;
  readonly endedAt: number;
}

interface Sample {
  readonly heapMiB: number;
  readonly rssMiB: number;
  readonly longestDelayMs: number;
  readonly descriptors: number;
  /** Of each worker, by its process id. */
  readonly workers: ReadonlyMap<number, { readonly rssMiB: number; readonly descriptors: number }>;
}

interface Told {
  readonly type: 'ready' | 'measure' | 'loss' | 'load' | 'fault';
  readonly origin: string;
  readonly models: readonly string[];
  readonly model: string;
  readonly reason: string;
  readonly heapMiB: number;
  readonly rssMiB: number;
  readonly longestDelayMs: number;
}

const descriptorsOf = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;

describe(
  'a service under all attacks at once, whose workers are killed and stopped',
  {
    ...needs(minutes === 0 ? 'SLASHV1_SOAK_MINUTES=20 runs it' : otherSystem('linux')),
    timeout: (minutes + 10) * 60_000,
  },
  () => {
    let folder: string;
    let host: ChildProcess;
    const said: string[] = [];
    const losses: Told[] = [];
    const faults: string[] = [];
    const strikes: Strike[] = [];
    const answers = new Map<string, Told>();
    let onTold: () => void = () => undefined;

    // The remote server that the service relies on, at its worst.
    const hostileAnswers = [
      `data: ${'['.repeat(2_000_000)}${']'.repeat(2_000_000)}\n\n`,
      `data: ${'{"a":'.repeat(700_000)}1${'}'.repeat(700_000)}\n\n`,
      'data: {"choices":[{"index":"push"}]}\n\n',
      `data: ${'x'.repeat(20_000_000)}`,
      '',
    ];
    let asked = 0;
    const remote = createServer((request, response) => {
      request.resume();
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(hostileAnswers[asked++ % hostileAnswers.length]);
    });

    const tell = async (type: Told['type'], question?: string): Promise<Told> => {
      answers.delete(type);
      if (question !== undefined) host.send(question);
      while (!answers.has(type)) {
        if (host.exitCode !== null) throw new Error(`The host has ended:\n${said.join('')}`);
        await new Promise<void>((resolve) => (onTold = resolve));
      }
      return answers.get(type)!;
    };

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'slashv1-soak-'));
      await new Promise<void>((resolve) => remote.listen(0, '127.0.0.1', resolve));
      const remoteOrigin = `http://127.0.0.1:${(remote.address() as AddressInfo).port}`;
      host = fork(join(import.meta.dirname, 'soak-host.js'), [remoteOrigin], {
        execArgv: ['--expose-gc'],
        env: { ...process.env, TMPDIR: folder },
        stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      });
      for (const output of [host.stdout!, host.stderr!]) output.on('data', (text) => said.push(String(text)));
      host.on('exit', () => onTold());
      host.on('message', (message) => {
        const told = message as Told;
        answers.set(told.type, told);
        const strike = strikes.findLast(({ model }) => model === told.model);
        if (told.type === 'fault') faults.push(told.reason);
        if (told.type === 'loss') {
          losses.push(told);
          if (strike?.lostAt === Infinity) strike.lostAt = performance.now();
          else console.log(`${told.model} was lost: ${told.reason}`);
        }
        if (told.type === 'load' && strike?.lostAt !== Infinity && strike?.readyAt === Infinity)
          strike.readyAt = performance.now();
        onTold();
      });
    }, 120_000);

    afterAll(async () => {
      host.kill('SIGKILL');
      remote.closeAllConnections();
      remote.close();
      await rm(folder, { recursive: true });
    });

    const measure = async (): Promise<Sample> => {
      const { heapMiB, rssMiB, longestDelayMs } = await tell('measure', 'measure');
      const workers = new Map<number, { rssMiB: number; descriptors: number }>();
      for (const pid of workersOf(host.pid!)) {
        try {
          workers.set(pid, { rssMiB: residentMiB(pid), descriptors: descriptorsOf(pid) });
        } catch {
          // It was killed just now.
        }
      }
      return { heapMiB, rssMiB, longestDelayMs, descriptors: descriptorsOf(host.pid!), workers };
    };

    it('loses what was in a worker that was killed, and nothing else', async () => {
      const { origin, models } = await tell('ready');
      const attacks = await createAttacks();
      const before = await measure();
      // Workers are started in the order of the models.
      const workers = new Map(
        [...before.workers.keys()].toSorted((a, b) => a - b).map((pid, index) => [models[index]!, pid]),
      );
      const startedAt = performance.now();
      const endsAt = startedAt + minutes * 60_000;
      const counts = new Map<string, number>();
      const failures: Failure[] = [];
      const samples: Sample[] = [];

      const record = (failure: Failure, isFailure: boolean): void => {
        const key = `${failure.name}: ${failure.outcome}`;
        counts.set(key, (counts.get(key) ?? 0) + 1);
        if (isFailure) failures.push(failure);
      };

      const picture = (await readFile(join(import.meta.dirname, '../contract/pictures/small.png'))).toString(
        'base64',
      );
      const speech = await readFile(join(import.meta.dirname, '../e2e/media/speech.wav'));
      const text = 'a red circle above a blue square';
      const messages = [{ role: 'user', content: 'Describe a scene with two shapes.' }];
      const requests: readonly (readonly [model: string, path: string, body: object])[] = [
        ['tiny-chat', 'chat/completions', { messages, max_tokens: 30 }],
        ['tiny-embed', 'embeddings', { input: [text, 'a green square'] }],
        ['tiny-chat', 'chat/completions', { messages, max_tokens: 30, stream: true }],
        ['tiny-rerank', 'rerank', { query: text, documents: [text, 'The weather in Paris is sunny.'] }],
        ['tiny-detect', 'detect', { image: picture }],
        ['tiny-whisper', 'audio/transcriptions', recordingForm(speech)],
        ['tiny-speech', 'audio/speech', { input: text, voice: 'af_heart' }],
        ['tiny-image', 'images/generations', { prompt: text, size: '256x256', num_inference_steps: 2 }],
      ];
      let sent = 0;
      const live = async (): Promise<void> => {
        while (performance.now() < endsAt) {
          const number = sent++;
          const [model, path, body] = requests[number % requests.length]!;
          const leaves = number % 5 === 4;
          const patienceMs = leaves ? (number * 37) % 300 : 120_000;
          const from = performance.now();
          const whole = body instanceof FormData ? body : { model, ...body };
          const outcome = await sendRequest(origin, `/v1/${path}`, whole, patienceMs);
          const isFailure = outcome !== 200 && !(leaves && outcome === 'left');
          record({ name: model, model, outcome, startedAt: from, endedAt: performance.now() }, isFailure);
          await delay(outcome === 503 ? 1000 : 150);
        }
      };
      let attacked = 0;
      const attack = async (): Promise<void> => {
        while (performance.now() < endsAt) {
          const number = attacked++;
          const { name, model, send } = attacks[number % attacks.length]!;
          const from = performance.now();
          const outcome = await send(origin, Math.floor(number / attacks.length));
          // A hostile server is answered with 502 each time; those that hang are cut off by nobody so soon.
          const isFailure = model !== undefined && outcome !== 'left' && !(Number(outcome) < 500);
          record({ name, model, outcome, startedAt: from, endedAt: performance.now() }, isFailure);
          await delay(300);
        }
      };
      const strikeNow = async (): Promise<void> => {
        // Each worker lives through a half of it.
        const isFirstHalf = performance.now() < (startedAt + endsAt) / 2;
        const victims = models.filter((_, index) => index < 3 === isFirstHalf);
        const model = victims[(strikes.length >> 1) % victims.length]!;
        const signal = strikes.length % 2 === 0 ? 'SIGKILL' : 'SIGSTOP';
        const strike: Strike = { model, signal, at: performance.now(), lostAt: Infinity, readyAt: Infinity };
        strikes.push(strike);
        process.kill(workers.get(model)!, signal);
        while (strike.readyAt === Infinity && performance.now() < endsAt + 300_000) await delay(100);
        const known = new Set(workers.values());
        const successor = workersOf(host.pid!).find((pid) => !known.has(pid));
        if (successor !== undefined) workers.set(model, successor);
      };
      const strikeOn = async (): Promise<void> => {
        // On a busy machine a worker may take longer to come back: then the next strike comes later.
        for (let next = startedAt + strikeMs / 2; next < endsAt - strikeMs / 2;) {
          await delay(next - performance.now());
          await strikeNow();
          next = Math.max(next + strikeMs, performance.now());
        }
      };
      const watch = async (): Promise<void> => {
        while (performance.now() < endsAt) {
          await delay(sampleMs);
          const sample = await measure();
          samples.push(sample);
          if (samples.length % Math.ceil(60_000 / sampleMs) === 0) report(sample);
        }
      };
      const report = ({ heapMiB, rssMiB, descriptors, workers: now }: Sample): void => {
        const longestDelayMs = Math.max(...samples.map((sample) => sample.longestDelayMs));
        const sizes = models.map((model) => Math.round(now.get(workers.get(model)!)?.rssMiB ?? 0));
        console.log(
          [
            `${Math.round((performance.now() - startedAt) / 1000)} s`,
            `${sent} requests, ${attacked} attacks, ${failures.length} failed`,
            `${losses.length} losses of ${strikes.length} strikes`,
            `host ${heapMiB.toFixed(1)} MiB of heap, ${rssMiB.toFixed(0)} MiB, ${descriptors} descriptors`,
            `longest delay ${longestDelayMs.toFixed(0)} ms`,
            `workers ${sizes.join(' ')} MiB`,
          ].join('; '),
        );
      };

      await Promise.all([
        ...Array.from({ length: innocents }, live),
        ...Array.from({ length: attackers }, attack),
        strikeOn(),
        watch(),
      ]);
      // Connections are kept alive for 5 s; what attackers have left after ends before.
      await delay(10_000);
      const after = await measure();
      report(after);
      console.log(Object.fromEntries([...counts].toSorted()));
      console.log(
        strikes
          .map(
            ({ model, signal, at, lostAt, readyAt }) =>
              `${model} ${signal}: lost after ${Math.round(lostAt - at)} ms, ready after ${Math.round(readyAt - at)} ms`,
          )
          .join('\n'),
      );

      // A request fails if it was in a worker that was lost, or came before the next one was ready.
      const excused = ({ model, outcome, startedAt: from, endedAt }: Failure): boolean =>
        strikes.some(
          (strike) =>
            strike.model === model &&
            endedAt >= strike.at &&
            ((outcome === 502 && from <= strike.lostAt) || (outcome === 503 && from <= strike.readyAt)),
        );
      const unexcused = failures.filter((failure) => !excused(failure));
      console.log({ failures: failures.length, unexcused, left: readdirSync(folder), faults });
      expect(faults).toEqual([]);
      // No attack has taken a worker down.
      expect(losses).toHaveLength(strikes.length);
      expect(strikes.filter(({ readyAt }) => readyAt === Infinity)).toEqual([]);
      expect(unexcused).toEqual([]);
      expect(readdirSync(folder)).toEqual([]);
      expect(after.descriptors).toBeLessThanOrEqual(before.descriptors + 2);
      expectFlat(
        'heap of the host',
        samples.map(({ heapMiB }) => heapMiB),
        8,
      );
      expectFlat(
        'host',
        samples.map(({ rssMiB }) => rssMiB),
        80,
      );
      for (const pid of workers.values()) {
        const own = samples.flatMap((sample) => sample.workers.get(pid) ?? []);
        if (own.length < samples.length / 3) continue;
        expectFlat(
          `worker ${pid}`,
          own.map(({ rssMiB }) => rssMiB),
          60,
        );
        expectFlat(
          `descriptors of worker ${pid}`,
          own.map(({ descriptors }) => descriptors),
          2,
        );
      }
      host.send('close');
      while (host.exitCode === null) await new Promise<void>((resolve) => (onTold = resolve));
      expect(host.exitCode).toBe(0);
      expect(said.join('')).not.toMatch(/Error|Warning/);
    });
  },
);

/** Compares the middle of the second third with that of the last one. */
function expectFlat(name: string, values: readonly number[], toleranceOf: number): void {
  const third = Math.floor(values.length / 3);
  const middle = median(values.slice(third, 2 * third));
  const last = median(values.slice(2 * third));
  console.log(`${name}: ${middle.toFixed(1)}, then ${last.toFixed(1)}`);
  expect(last, name).toBeLessThan(1.1 * middle + toleranceOf);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}
