import { describe, expect, it, onTestFinished } from 'vitest';
import { remote } from '../../src/backends/registry.ts';
import { chat } from '../../src/categories/chat/settings.ts';
import { createHandler } from '../../src/create-handler.ts';
import { createInference } from '../../src/inference.ts';
import { isThorough } from '../thorough.ts';
import { chatBody, eventsOf, key, send } from '../server/support.ts';
import { faults, startEngines, words, type FakeEngine, type Fault } from './fake-engine.ts';

const requests = isThorough ? 80 : 40;
const clients = 16;
const whole = words.join('');

interface Case {
  readonly name: string;
  befall(engine: FakeEngine): unknown;
  /** Whether streams that have begun are lost with it. */
  readonly mayBreakOff?: boolean;
}

const befallen = (fault: Fault): Case => ({
  name: fault,
  befall(engine) {
    engine.fault = fault;
  },
});

/** The faults of one server of three. */
const cases: readonly Case[] = [
  { name: 'is killed', befall: (engine) => engine.kill(), mayBreakOff: true },
  { name: 'accepts connections and nothing more', befall: (engine) => engine.open(), mayBreakOff: true },
  { ...befallen('breaks off'), mayBreakOff: true },
  ...faults.filter((fault) => fault !== 'breaks off').map(befallen),
];

/** The text that a client got, and whether the answer is complete. */
interface Outcome {
  readonly stream: boolean;
  readonly text: string;
  readonly isComplete: boolean;
}

describe('one server of three', () => {
  it.each(cases)(
    '$name: no request is lost of which nothing was written',
    async ({ befall, mayBreakOff = false }) => {
      const engines = await startEngines(3);
      const upstreams = engines.map(({ baseURL }) => ({ baseURL }));
      const timeoutMs = { connect: 2000, firstByte: 2000, idle: 2000 };
      const inference = createInference({
        models: { m: chat({ source: 'm', backend: remote.openai({ upstreams, timeoutMs }) }) },
      });
      onTestFinished(() => inference.close({ graceMs: 0 }));
      const handler = createHandler(inference, { auth: { keys: [key] } });
      await inference.ready();

      const ask = async (stream: boolean): Promise<Outcome> => {
        const answer = await send(handler, { json: chatBody({ model: 'm', stream }) });
        if (!stream || answer.status !== 200) {
          const text = String(answer.json.choices?.[0].message.content ?? '');
          return { stream, text, isComplete: text === whole };
        }
        const events = eventsOf(answer.text);
        const text = events.map((event) => event.choices?.[0]?.delta.content ?? '').join('');
        return { stream, text, isComplete: text === whole && events.at(-1) === '[DONE]' };
      };
      const outcomes: Outcome[] = [];
      let sent = 0;
      const client = async (): Promise<void> => {
        while (sent < requests) outcomes.push(await ask(sent++ % 2 === 0));
      };
      const running = Array.from({ length: clients }, client);
      await expect.poll(() => engines[0]!.begun.size, { interval: 5 }).toBeGreaterThan(0);
      await befall(engines[0]!);
      await Promise.all(running);

      const lost = outcomes.filter(({ isComplete }) => !isComplete);
      expect(outcomes).toHaveLength(requests);
      expect(lost.filter(({ stream, text }) => !stream || text === '')).toEqual([]);
      if (!mayBreakOff) expect(lost).toEqual([]);
    },
  );
});
