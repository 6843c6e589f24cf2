// The route for `useChat` of the AI SDK, for `app/api/chat/route.js` of a Next app. The model runs in this service.
import {
  convertToModelMessages,
  createUIMessageStreamResponse,
  isStepCount,
  streamText,
  tool,
  toUIMessageStream,
} from 'ai';
import { chat, createInference } from 'slashv1';
import { createSlashv1 } from 'slashv1/ai-sdk';
import { z } from 'zod';

/** Kept outside the module, which the development server reloads. @type {any} */
const kept = globalThis;
kept.inference ??= createInference({ models: { assistant: chat({ source: 'tiny-chat' }) } });

const slashv1 = createSlashv1(kept.inference);

const tools = {
  get_weather: tool({
    description: 'The weather of a city',
    inputSchema: z.object({ city: z.string() }),
    execute: ({ city }) => ({ city, temperature: 21, condition: 'sunny' }),
  }),
};

/** @param {Request} request */
export async function POST(request) {
  const { messages } = await request.json();
  const { stream } = streamText({
    model: slashv1('assistant'),
    messages: await convertToModelMessages(messages),
    tools,
    stopWhen: isStepCount(5),
    abortSignal: request.signal,
    temperature: 0.2,
    providerOptions: { slashv1: { min_p: 0.05 } },
  });
  return createUIMessageStreamResponse({ stream: toUIMessageStream({ stream, tools }) });
}
