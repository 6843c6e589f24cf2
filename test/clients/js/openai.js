import { createReadStream } from 'node:fs';
import OpenAI from 'openai';
import { zodFunction, zodResponseFormat, zodResponsesFunction, zodTextFormat } from 'openai/helpers/zod';
import { z } from 'zod';
import {
  apiKey,
  baseURL,
  check,
  checkAudio,
  checkText,
  models,
  pictureQuestion,
  question,
  readPicture,
  recording,
  report,
  says,
  toolQuestion,
} from './report.js';

const client = new OpenAI({ baseURL, apiKey, maxRetries: 0 });
const city = z.object({ city: z.string().max(30) });
const shape = z.object({ color: z.enum(['red', 'blue']), size: z.number().int().min(1).max(9) });
const weather = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'The weather of a city',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
};
const asked = (content) => ({ model: models.chat, messages: [{ role: 'user', content }], temperature: 0 });
const asks = (input) => ({ model: models.chat, input, temperature: 0, max_output_tokens: 500 });

await report('openai (Node)', {
  async chat() {
    const { choices, usage } = await client.chat.completions.create(asked(question));
    checkText(choices[0].message.content);
    check(usage.total_tokens > usage.prompt_tokens, 'usage');
  },
  async pictures() {
    const url = `data:image/png;base64,${readPicture().toString('base64')}`;
    const { choices } = await client.chat.completions.create({
      ...asked([
        { type: 'text', text: pictureQuestion },
        { type: 'image_url', image_url: { url } },
      ]),
      model: models.vision,
    });
    check(says.test(choices[0].message.content), `${says}, got ${choices[0].message.content}`);
    const { output_text } = await client.responses.create({
      ...asks([
        {
          role: 'user',
          content: [
            { type: 'input_text', text: pictureQuestion },
            { type: 'input_image', image_url: url },
          ],
        },
      ]),
      model: models.vision,
    });
    check(says.test(output_text), `${says}, got ${output_text}`);
  },
  async streaming() {
    const stream = client.chat.completions.stream({
      ...asked(question),
      stream_options: { include_usage: true },
    });
    checkText(await stream.finalContent());
    check((await stream.totalUsage()).completion_tokens > 0, 'usage');
  },
  async 'tools auto'() {
    let given;
    const run = (args) => {
      given = args.city;
      return 'sunny';
    };
    const runner = client.chat.completions.runTools({
      ...asked(toolQuestion),
      stream: true,
      tools: [{ type: 'function', function: { ...weather.function, parse: JSON.parse, function: run } }],
    });
    checkText(await runner.finalContent());
    checkText(given);
  },
  async 'tools required'() {
    const { choices } = await client.chat.completions.create({
      ...asked(question),
      tools: [weather],
      tool_choice: 'required',
    });
    checkText(JSON.parse(choices[0].message.tool_calls[0].function.arguments).city);
  },
  async 'tools strict'() {
    const { choices } = await client.chat.completions.parse({
      ...asked(toolQuestion),
      tools: [zodFunction({ name: 'get_weather', parameters: city })],
    });
    checkText(choices[0].message.tool_calls[0].function.parsed_arguments.city);
  },
  async 'structured output'() {
    const { choices } = await client.chat.completions.parse({
      ...asked(question),
      response_format: zodResponseFormat(shape, 'shape'),
    });
    shape.parse(choices[0].message.parsed);
  },
  async embeddings() {
    const { data } = await client.embeddings.create({ model: models.embedding, input: ['a', 'b'] });
    check(data.length === 2 && data[0].embedding.length > 10, 'two vectors');
  },
  async images() {
    const { data } = await client.images.generate({ model: models.image, prompt: 'a red circle' });
    check(data[0].b64_json.startsWith('iVBORw0KGgo'), 'a PNG');
  },
  async transcription() {
    const file = createReadStream(recording);
    const { text } = await client.audio.transcriptions.create({ model: models.transcription, file });
    check(says.test(text), `other words than ${text}`);
  },
  async speech() {
    const request = { model: models.speech, voice: 'alloy', input: question };
    checkAudio(await (await client.audio.speech.create(request)).arrayBuffer());
  },
  async responses() {
    checkText((await client.responses.create(asks(question))).output_text);
  },
  async 'responses streaming'() {
    checkText((await client.responses.stream(asks(question)).finalResponse()).output_text);
  },
  async 'responses tools'() {
    const tools = [zodResponsesFunction({ name: 'get_weather', parameters: city })];
    const input = [{ role: 'user', content: toolQuestion }];
    const first = await client.responses.parse({ ...asks(input), tools });
    const call = first.output.find((item) => item.type === 'function_call');
    checkText(call.parsed_arguments.city);
    const output = { type: 'function_call_output', call_id: call.call_id, output: 'sunny' };
    checkText(
      (await client.responses.create({ ...asks([...input, ...first.output, output]), tools })).output_text,
    );
  },
  async 'responses kept'() {
    const first = await client.responses.create(asks(question));
    const second = await client.responses.create({ ...asks(question), previous_response_id: first.id });
    check((await client.responses.retrieve(second.id)).output_text === second.output_text, 'the same text');
    await client.responses.delete(second.id);
  },
  async 'responses structured'() {
    const text = { format: zodTextFormat(shape, 'shape') };
    shape.parse((await client.responses.parse({ ...asks(question), text })).output_parsed);
  },
});
