import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import {
  embedMany,
  generateImage,
  generateText,
  experimental_generateSpeech as generateSpeech,
  Output,
  stepCountIs,
  streamText,
  tool,
  experimental_transcribe as transcribe,
} from 'ai';
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
  readRecording,
  report,
  says,
  toolQuestion,
} from './report.js';

const shape = z.object({ color: z.enum(['red', 'blue']), size: z.number().int().min(1).max(9) });
const inputSchema = z.object({ city: z.string().max(30) });
const get_weather = tool({ description: 'The weather of a city', inputSchema, execute: () => 'sunny' });
const strict = tool({
  description: 'The weather of a city',
  inputSchema,
  strict: true,
  execute: () => 'sunny',
});

/** The paths that every language model of the SDK has. */
const textPaths = (model, vision, options = {}) => {
  const asked = { model, temperature: 0, maxRetries: 0, maxOutputTokens: 500, ...options };
  return {
    async chat() {
      const { text, usage } = await generateText({ ...asked, prompt: question });
      checkText(text);
      check(usage.outputTokens > 0, 'usage');
    },
    async pictures() {
      const content = [
        { type: 'text', text: pictureQuestion },
        { type: 'image', image: readPicture() },
      ];
      const { text } = await generateText({ ...asked, model: vision, messages: [{ role: 'user', content }] });
      check(says.test(text), `${says}, got ${text}`);
    },
    async streaming() {
      const errors = [];
      const { textStream } = streamText({
        ...asked,
        prompt: question,
        onError: ({ error }) => errors.push(error),
      });
      let text = '';
      for await (const delta of textStream) text += delta;
      if (errors.length > 0) throw errors[0];
      checkText(text);
    },
    async 'tools auto'() {
      const { steps, text } = await generateText({
        ...asked,
        prompt: toolQuestion,
        tools: { get_weather },
        stopWhen: stepCountIs(3),
      });
      checkText(steps[0].toolCalls[0].input.city);
      checkText(text);
    },
    async 'tools required'() {
      const { toolCalls } = await generateText({
        ...asked,
        prompt: question,
        tools: { get_weather },
        toolChoice: 'required',
      });
      checkText(toolCalls[0].input.city);
    },
    async 'tools strict'() {
      const { toolCalls } = await generateText({
        ...asked,
        prompt: toolQuestion,
        tools: { get_weather: strict },
      });
      checkText(toolCalls[0].input.city);
    },
    async 'structured output'() {
      const { output } = await generateText({
        ...asked,
        prompt: question,
        output: Output.object({ schema: shape }),
      });
      shape.parse(output);
    },
  };
};

const embeddings = (model) => async () => {
  const { embeddings: vectors } = await embedMany({ model, values: ['a', 'b'], maxRetries: 0 });
  check(vectors.length === 2 && vectors[0].length > 10, 'two vectors');
};

const images = (model) => async () => {
  const { image } = await generateImage({ model, prompt: 'a red circle', maxRetries: 0 });
  check(image.base64.startsWith('iVBORw0KGgo'), 'a PNG');
};

const openai = createOpenAI({ baseURL, apiKey });
const ofResponses = textPaths(openai(models.chat), openai(models.vision));
await report('AI SDK, openai', {
  ...textPaths(openai.chat(models.chat), openai.chat(models.vision)),
  embeddings: embeddings(openai.embedding(models.embedding)),
  images: images(openai.image(models.image)),
  async transcription() {
    const model = openai.transcription(models.transcription);
    const { text } = await transcribe({ model, audio: readRecording(), maxRetries: 0 });
    check(says.test(text), `other words than ${text}`);
  },
  async speech() {
    const model = openai.speech(models.speech);
    const request = { model, text: question, voice: 'alloy', outputFormat: 'wav', maxRetries: 0 };
    checkAudio((await generateSpeech(request)).audio.uint8Array);
  },
  responses: ofResponses.chat,
  'responses streaming': ofResponses.streaming,
  'responses tools': ofResponses['tools auto'],
  'responses structured': ofResponses['structured output'],
});

const compatible = createOpenAICompatible({
  name: 'slashv1',
  baseURL,
  apiKey,
  includeUsage: true,
  supportsStructuredOutputs: true,
});
await report('AI SDK, openai-compatible', {
  ...textPaths(compatible(models.chat), compatible(models.vision)),
  embeddings: embeddings(compatible.embeddingModel(models.embedding)),
  images: images(compatible.imageModel(models.image)),
});
