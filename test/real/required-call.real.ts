import { expect, it } from 'vitest';
import { describeChatModels } from './chat-models.ts';

// Strings have no `maxLength`: models of this size write on in some of them until the limit.
const weather = {
  name: 'get_weather',
  description: 'Get the current weather of a city.',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' }, unit: { enum: ['celsius', 'fahrenheit'] } },
    required: ['city'],
  },
};
const mail = {
  name: 'send_mail',
  description: 'Send an e-mail.',
  parameters: {
    type: 'object',
    properties: { to: { type: 'string' }, subject: { type: 'string' } },
    required: ['to', 'subject'],
  },
};
const reminder = {
  name: 'set_reminder',
  description: 'Remind the user of something.',
  parameters: {
    type: 'object',
    properties: {
      text: { type: 'string' },
      minutes: { type: 'integer', minimum: 1, maximum: 1440 },
    },
    required: ['text', 'minutes'],
  },
};
const clock = {
  name: 'get_time',
  description: 'Get the time in a time zone.',
  parameters: { type: 'object', properties: { zone: { type: 'string' } }, required: ['zone'] },
};
const tools = [weather, mail, reminder, clock];
const prompts = [
  { content: 'What is the weather in Paris?', tools: [weather, mail] },
  { content: 'Is it raining in Oslo right now?', tools: [weather, clock, reminder] },
  { content: 'Send a mail to anna@example.com about the meeting.', tools: [mail, weather] },
  { content: 'Write to bob@example.com that lunch is at noon.', tools: [clock, mail, weather] },
  { content: 'Remind me in 20 minutes to call my mother.', tools: [reminder, mail] },
  { content: 'Remind me to water the plants in an hour.', tools: [weather, reminder, clock] },
  { content: 'What time is it in Tokyo?', tools: [clock, weather] },
  { content: 'Which time is it in New York?', tools: [mail, clock, reminder] },
  { content: 'Hello!', tools: [weather, clock] },
  { content: 'How warm is it in Cairo and in Rome?', tools: [weather, mail, clock] },
];

describeChatModels((ask) => {
  it('makes one whole call where one is required, whatever is asked', async () => {
    const wrong: string[] = [];
    for (const { content, tools: offered } of prompts) {
      const messages = [{ role: 'user', content } as const];
      const answer = await ask({ messages, tools: offered, toolChoice: 'required', temperature: 0 });
      const { calls, finishReason, text } = answer;
      const [call] = calls;
      const declared = tools.find(({ name }) => name === call?.name);
      const names = Object.keys(declared?.parameters.properties ?? {});
      const isWhole = calls.length === 1 && text === '' && ['tool_calls', 'length'].includes(finishReason);
      const fits = isWhole && Object.keys(JSON.parse(call!.arguments)).every((name) => names.includes(name));
      if (!fits) wrong.push(JSON.stringify(answer));
    }
    expect(wrong, wrong.join('\n')).toEqual([]);
  });
});
