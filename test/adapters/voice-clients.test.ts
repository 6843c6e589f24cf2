import { createServer as createSecureServer } from 'node:https';
import { createServer, type Server } from 'node:http';
import { OpenAIRealtimeWebSocket, RealtimeAgent, RealtimeSession, tool } from '@openai/agents-realtime';
import OpenAI from 'openai';
import { OpenAIRealtimeWS } from 'openai/realtime/ws';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { serveWebSockets, toNodeListener } from '../../dist/adapters/node.js';
import {
  chat,
  createHandler,
  createInference,
  speech,
  transcription,
  voice,
  type HandlerOptions,
  type Inference,
} from '../../dist/src/index.js';
import { pcm, pieces } from '../realtime/audio.ts';
import { listening, pem } from './live-support.ts';

let inference: Inference;

beforeAll(async () => {
  inference = createInference({
    models: {
      ears: transcription({ source: 'tiny-whisper' }),
      mind: chat({ source: 'tiny-chat' }),
      mouth: speech({ source: 'tiny-speech' }),
      agent: voice({ hears: 'ears', thinks: 'mind', speaks: 'mouth' }),
    },
  });
  await inference.ready();
});
afterAll(() => inference.close());

/** Address of a service of the agent. */
async function serve(options: Partial<HandlerOptions> = {}, isSecure = false): Promise<string> {
  const handler = createHandler(inference, { auth: { keys: ['k1'] }, ...options });
  const listener = toNodeListener(handler);
  const server = isSecure
    ? createSecureServer({ key: pem('server.key'), cert: pem('server.pem') }, listener)
    : createServer(listener);
  serveWebSockets(server as Server, handler);
  return listening(server as Server);
}

/** Audio of somebody who says it, and is silent before and after it. */
async function spoken(input: string): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const event of inference.speak({ model: 'mouth', input, format: 'pcm' }))
    if (event.type === 'audio') parts.push(event.bytes);
  return Buffer.concat([pcm([0.5, 0]), ...parts, pcm([1, 0])]);
}

/** A session of @openai/agents with a tool for the weather; it connects when the test has its listeners. */
async function openSession(execute: (input: { city: string }) => Promise<string>) {
  const weather = tool({
    name: 'get_weather',
    description: 'The weather of a city',
    parameters: z.object({ city: z.string() }),
    execute,
  });
  const agent = new RealtimeAgent({ name: 'Helper', instructions: 'You are a helper.', tools: [weather] });
  const url = `ws://${await serve()}/v1/realtime?model=agent`;
  const transport = new OpenAIRealtimeWebSocket({ url });
  const session = new RealtimeSession(agent, { model: 'agent', transport });
  onTestFinished(() => session.close());
  const faults: unknown[] = [];
  session.on('error', (error) => faults.push(error));
  return {
    session,
    faults,
    turn: (): Promise<unknown> => new Promise((resolve) => transport.once('turn_done', resolve)),
    async say(text: string): Promise<void> {
      for (const piece of pieces(await spoken(text))) session.sendAudio(Uint8Array.from(piece).buffer);
    },
  };
}

describe('the realtime session of @openai/agents', () => {
  test('speaks, calls a tool, and is interrupted', async () => {
    const cities: string[] = [];
    const execute = async ({ city }: { city: string }): Promise<string> => {
      cities.push(city);
      return 'sunny, 20 degrees';
    };
    const { session, faults, turn, say } = await openSession(execute);
    let bytes = 0;
    session.on('audio', ({ data }) => (bytes += data.byteLength));
    let interruptions = 0;
    session.on('audio_interrupted', () => interruptions++);
    await session.connect({ apiKey: 'k1' });

    const first = turn();
    await say('What is two plus three?');
    await first;
    expect(bytes).toBeGreaterThan(24_000);
    const call = turn();
    await say('What is the weather in Paris?');
    await call;
    await turn();
    expect(cities).toEqual(['Paris']);
    expect(interruptions).toBe(1);
    expect(faults).toEqual([]);
    const said = session.history.map((item) => {
      if (item.type !== 'message') return [item.type, (item as { output?: unknown }).output];
      const [part] = item.content as { transcript?: string | null }[];
      return [item.role, part?.transcript];
    });
    expect(said).toEqual([
      ['user', 'What is 2 + 3?'],
      // The user has heard only the beginning.
      ['assistant', expect.stringMatching(/^(2( \+( 3( =)?)?)?)?$/)],
      ['user', 'What is the weather in Paris?'],
      ['function_call', 'sunny, 20 degrees'],
      ['assistant', expect.stringContaining('sunny')],
    ]);
  });
});

describe('a slow tool', () => {
  test('of @openai/agents leaves the agent free to answer, and its result is told', async () => {
    let begin = (): void => {};
    const called = new Promise<void>((resolve) => (begin = resolve));
    let finish = (): void => {};
    const finished = new Promise<void>((resolve) => (finish = resolve));
    const execute = async (): Promise<string> => {
      begin();
      await finished;
      return 'sunny, 20 degrees';
    };
    const { session, faults, turn, say } = await openSession(execute);
    await session.connect({ apiKey: 'k1' });
    await say('What is the weather in Paris?');
    await called;
    const meanwhile = turn();
    await say('What is two plus three?');
    await meanwhile;
    const last = turn();
    setTimeout(finish, 3000);
    await last;
    expect(faults).toEqual([]);
    const answers = session.history.filter(
      (item) => item.type === 'message' && item.role === 'assistant',
    ) as { content: { transcript?: string | null }[] }[];
    expect(answers.map(({ content: [part] }) => part?.transcript)).toEqual([
      expect.any(String),
      expect.stringContaining('sunny'),
    ]);
  }, 60_000);
});

describe('the realtime client of openai', () => {
  test('writes, and is told its limits', async () => {
    const limits = { requests: 50, tokens: 5000, perSeconds: 60 };
    const host = await serve(
      { auth: { keys: [{ key: 'k1', plan: 'some' }] }, plans: { some: { rateLimit: limits } } },
      true,
    );
    const client = new OpenAI({ apiKey: 'k1', baseURL: `https://${host}/v1` });
    const realtime = new OpenAIRealtimeWS({ model: 'agent', options: { ca: pem('authority.pem') } }, client);
    onTestFinished(() => realtime.close());
    const events: Record<string, any> = {};
    const done = new Promise<any>((resolve, reject) => {
      realtime.on('error', reject);
      realtime.on('event', (event) => (events[event.type] = event));
      realtime.on('response.done', resolve);
    });
    realtime.on('session.created', () => {
      realtime.send({ type: 'session.update', session: { type: 'realtime', output_modalities: ['text'] } });
      const content = [{ type: 'input_text' as const, text: 'What is 2 + 3?' }];
      realtime.send({ type: 'conversation.item.create', item: { type: 'message', role: 'user', content } });
      realtime.send({ type: 'response.create' });
    });
    const { response } = await done;
    expect(response.output[0].content[0].text).toContain('5');
    expect(events['rate_limits.updated'].rate_limits).toEqual([
      expect.objectContaining({ name: 'requests', limit: 50, remaining: 49 }),
      expect.objectContaining({ name: 'tokens', limit: 5000 }),
    ]);
  });
});
