// Overhead of a token through the AI SDK, in-process and over HTTP: `node benchmarks/ai-sdk.js [rounds]`.
// Both ask the same models, a scripted one that does no work and tiny-chat in a worker. Printed are the processor time of
// this process for each token; the worker's isn't in it. Over HTTP, this process is client and server.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { streamText } from 'ai';
import { chat, createHandler, createInference } from 'slashv1';
import { createSlashv1 } from 'slashv1/ai-sdk';
import { toNodeListener } from 'slashv1/node';
import { createFakeInference } from 'slashv1/testing';
import { compare, cpuTimer, machine, printRatios } from './measure.js';

const rounds = Number(process.argv[2] ?? 9);
const answersPerRound = 20;
const prompt = 'Describe a scene with two shapes.';
const words = Array.from({ length: 200 }, (_, index) => `word${index}`).join(' ');

const real = createInference({ models: { m: chat({ source: 'tiny-chat' }) } });
const inferences = {
  'a model that does no work': createFakeInference({ models: ['m'], reply: words }),
  'tiny-chat in a worker': real,
};
await real.ready();
console.log(machine());

/** @typedef {import('ai').LanguageModel & object} Model */

/** The parts that the SDK's functions read. @param {Exclude<Model, string>} model */
async function readParts(model) {
  if (model.specificationVersion !== 'v4') throw new Error('expected a model of version 4');
  const { stream } = await model.doStream({
    prompt: [{ role: 'user', content: [{ type: 'text', text: prompt }] }],
    temperature: 0,
    maxOutputTokens: 400,
  });
  let tokens = 0;
  for await (const part of stream) if (part.type === 'finish') tokens = part.usage.outputTokens.total ?? 0;
  return tokens;
}

/** The text that a service reads. @param {Exclude<Model, string>} model */
async function readText(model) {
  const result = streamText({ model, prompt, temperature: 0, maxOutputTokens: 400 });
  for await (const _ of result.textStream);
  return (await result.usage).outputTokens ?? 0;
}

for (const [name, inference] of Object.entries(inferences)) {
  const server = createServer(toNodeListener(createHandler(inference, { auth: 'none' })));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const baseURL = `http://127.0.0.1:${port}/v1`;
  const inProcess = createSlashv1(inference)('m');
  const overHttp = createOpenAICompatible({ name: 'slashv1', baseURL, includeUsage: true })('m');

  async function readEvents() {
    const messages = [{ role: /** @type {const} */ ('user'), content: prompt }];
    let tokens = 0;
    for await (const event of inference.chat({ model: 'm', messages, temperature: 0, maxTokens: 400 })) {
      if (event.type === 'usage') tokens = event.completionTokens;
    }
    return tokens;
  }

  let tokensOfAnswer = 0;
  /** @param {() => Promise<number>} answer */
  const measured = (answer) => async () => {
    const processorTime = cpuTimer();
    let tokens = 0;
    for (let index = 0; index < answersPerRound; index++) tokens += await answer();
    tokensOfAnswer = tokens / answersPerRound;
    return (processorTime() * 1000) / tokens;
  };
  /** @type {Record<string, () => Promise<number>>} */
  const answers = {
    'events of inference.chat': readEvents,
    'parts, in-process': () => readParts(inProcess),
    'parts, over HTTP': () => readParts(overHttp),
    'streamText, in-process': () => readText(inProcess),
    'streamText, over HTTP': () => readText(overHttp),
  };
  const contenders = Object.fromEntries(
    Object.entries(answers).map(([contender, answer]) => [contender, measured(answer)]),
  );
  const times = await compare(contenders, rounds);
  const title = `${name}, ${tokensOfAnswer} tokens an answer, processor time of a token`;
  printRatios(title, times, { unit: 'µs', baseline: 'parts, in-process', digits: 1 });
  server.close();
  server.closeAllConnections();
  await inference.close();
}
