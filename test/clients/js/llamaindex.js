import { tool } from '@llamaindex/core/tools';
import { OpenAI, OpenAIEmbedding } from '@llamaindex/openai';
import { z } from 'zod';
import { apiKey, baseURL, check, checkText, models, question, report, toolQuestion } from './report.js';

const connection = { apiKey, baseURL, maxRetries: 0 };
const llm = new OpenAI({ model: models.chat, temperature: 0, ...connection });
const asked = (content) => ({ messages: [{ role: 'user', content }] });
const shape = z.object({ color: z.enum(['red', 'blue']), size: z.number().int().min(1).max(9) });
const weather = tool({
  name: 'get_weather',
  description: 'The weather of a city',
  parameters: z.object({ city: z.string().max(30) }),
  execute: ({ city }) => `sunny in ${city}`,
});

await report('LlamaIndex TS', {
  async chat() {
    checkText((await llm.chat(asked(question))).message.content);
  },
  async streaming() {
    let text = '';
    for await (const { delta } of await llm.chat({ ...asked(question), stream: true })) text += delta;
    checkText(text);
  },
  async 'tools auto'() {
    const { messages } = asked(toolQuestion);
    const { message } = await llm.chat({ messages, tools: [weather] });
    const [{ id, name, input }] = message.options.toolCall;
    check(name === 'get_weather', `a call, got ${name}`);
    const result = await weather.call(JSON.parse(input));
    const options = { toolResult: { id, result, isError: false } };
    const answer = await llm.chat({
      messages: [...messages, message, { role: 'user', content: result, options }],
      tools: [weather],
    });
    checkText(answer.message.content);
  },
  async 'structured output'() {
    const { message } = await llm.chat({ ...asked(question), responseFormat: shape });
    shape.parse(JSON.parse(message.content));
  },
  async embeddings() {
    const embedding = new OpenAIEmbedding({ model: models.embedding, ...connection });
    const vectors = await embedding.getTextEmbeddings(['a red circle', 'a blue square']);
    check(vectors.length === 2 && vectors[0].length > 0, 'two vectors');
  },
});
