import { HumanMessage, ToolMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { ChatOpenAI, DallEAPIWrapper, OpenAIEmbeddings } from '@langchain/openai';
import { z } from 'zod';
import {
  apiKey,
  baseURL,
  check,
  checkText,
  models,
  pictureQuestion,
  question,
  readPicture,
  report,
  says,
  toolQuestion,
} from './report.js';

const configuration = { baseURL };
const chat = (options = {}) =>
  new ChatOpenAI({
    model: models.chat,
    apiKey,
    configuration,
    temperature: 0,
    maxTokens: 500,
    maxRetries: 0,
    ...options,
  });
const shape = z.object({ color: z.enum(['red', 'blue']), size: z.number().int().min(1).max(9) });
const weather = tool(() => 'sunny', {
  name: 'get_weather',
  description: 'The weather of a city',
  schema: z.object({ city: z.string().max(30) }),
});

/** The paths that a chat model of LangChain has, by completions or by responses. */
const textPaths = (options) => ({
  async chat() {
    const { text, usage_metadata } = await chat(options).invoke(question);
    checkText(text);
    check(usage_metadata.output_tokens > 0, 'usage');
  },
  async pictures() {
    const url = `data:image/png;base64,${readPicture().toString('base64')}`;
    const content = [
      { type: 'text', text: pictureQuestion },
      { type: 'image_url', image_url: { url } },
    ];
    const { text } = await chat({ ...options, model: models.vision }).invoke([new HumanMessage({ content })]);
    check(says.test(text), `${says}, got ${text}`);
  },
  async streaming() {
    let text = '';
    for await (const chunk of await chat(options).stream(question)) text += chunk.text;
    checkText(text);
  },
  async 'tools auto'() {
    const model = chat(options).bindTools([weather]);
    const messages = [new HumanMessage(toolQuestion)];
    const answer = await model.invoke(messages);
    const [call] = answer.tool_calls;
    checkText(call.args.city);
    const content = await weather.invoke(call.args);
    const result = new ToolMessage({ content, tool_call_id: call.id });
    checkText((await model.invoke([...messages, answer, result])).text);
  },
  async 'tools required'() {
    const { tool_calls } = await chat(options)
      .bindTools([weather], { tool_choice: 'required' })
      .invoke(question);
    checkText(tool_calls[0].args.city);
  },
  async 'tools strict'() {
    const { tool_calls } = await chat(options).bindTools([weather], { strict: true }).invoke(toolQuestion);
    checkText(tool_calls[0].args.city);
  },
  async 'structured output'() {
    shape.parse(await chat(options).withStructuredOutput(shape, { method: 'jsonSchema' }).invoke(question));
    shape.parse(
      await chat(options).withStructuredOutput(shape, { method: 'functionCalling' }).invoke(question),
    );
  },
});

const ofResponses = textPaths({ useResponsesApi: true });
await report('LangChain JS', {
  ...textPaths({}),
  async embeddings() {
    const embeddings = new OpenAIEmbeddings({
      model: models.embedding,
      apiKey,
      configuration,
      maxRetries: 0,
    });
    const vectors = await embeddings.embedDocuments(['a', 'b']);
    check(vectors.length === 2 && vectors[0].length > 10, 'two vectors');
  },
  async images() {
    const painter = new DallEAPIWrapper({
      model: models.image,
      apiKey,
      baseUrl: baseURL,
      dallEResponseFormat: 'b64_json',
      size: '512x512',
      maxRetries: 0,
    });
    check(String(await painter.invoke('a red circle')).includes('iVBORw0KGgo'), 'a PNG');
  },
  responses: ofResponses.chat,
  'responses streaming': ofResponses.streaming,
  'responses tools': ofResponses['tools auto'],
  'responses structured': ofResponses['structured output'],
});
