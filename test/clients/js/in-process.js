// Agents over the models in this process, by slashv1/ai-sdk.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Agent as MastraAgent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { Agent, run, setTracingDisabled, tool } from '@openai/agents';
import { aisdk } from '@openai/agents-extensions/ai-sdk';
import { z } from 'zod';
import { check, checkText, models, report, toolQuestion } from './report.js';

const load = (entry) =>
  import(pathToFileURL(join(process.env.SLASHV1 ?? '', 'dist/src', `${entry}.js`)).href);
const { chat, createInference } = await load('index');
const { createSlashv1 } = await load('entries/ai-sdk');
const inference = createInference({ models: { [models.chat]: chat({ source: 'tiny-chat' }) } });
const model = createSlashv1(inference)(models.chat);

const about = { name: 'get_weather', description: 'The weather of a city' };
const parameters = z.object({ city: z.string().max(30) });
const instructions = 'Answer briefly.';
const settings = { temperature: 0 };
const weather = 'sunny, 21 degrees';
const checkAnswer = (text) => check(/sunny/.test(text), `the weather, got ${JSON.stringify(text)}`);

const get_weather = createTool({
  ...about,
  id: about.name,
  inputSchema: parameters,
  execute: async () => weather,
});
const mastra = new MastraAgent({ id: 'a', name: 'a', instructions, model, tools: { get_weather } });
const ofMastra = { modelSettings: settings, maxSteps: 3 };
await report('Mastra, in-process', {
  async chat() {
    checkText((await mastra.generate('What is 2 + 3?', ofMastra)).text);
  },
  async streaming() {
    const { textStream } = await mastra.stream(toolQuestion, ofMastra);
    let text = '';
    for await (const delta of textStream) text += delta;
    checkAnswer(text);
  },
  async 'tools auto'() {
    checkAnswer((await mastra.generate(toolQuestion, ofMastra)).text);
  },
});

setTracingDisabled(true);
const agent = new Agent({
  name: 'a',
  instructions,
  model: aisdk(model),
  modelSettings: settings,
  tools: [tool({ ...about, parameters, execute: () => weather })],
});
await report('OpenAI Agents, in-process', {
  async chat() {
    checkText((await run(agent, 'What is 2 + 3?')).finalOutput);
  },
  async streaming() {
    const streamed = await run(agent, toolQuestion, { stream: true, maxTurns: 3 });
    let text = '';
    for await (const delta of streamed.toTextStream()) text += delta;
    await streamed.completed;
    checkAnswer(text);
  },
  async 'tools auto'() {
    checkAnswer((await run(agent, toolQuestion, { maxTurns: 3 })).finalOutput);
  },
});
await inference.close();
