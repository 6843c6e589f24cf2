import { expect, it } from 'vitest';
import { createAnswerParser } from '../../../src/core/chat/answer-parser.ts';
import { createBlockFormat, reasoningFormats } from '../../../src/core/chat/reasoning-formats.ts';
import { knownFormat } from './tool-calls/known-formats.ts';

const tools = [{ name: 'set_alarm', parameters: { type: 'object', properties: { at: { type: 'string' } } } }];
const muse =
  '<atem:function_calls>\n<atem:invoke name="set_alarm.set_alarm">\n<atem:parameter name="at">6:40</atem:parameter>\n</atem:invoke>\n</atem:function_calls>';
const inkling =
  '<|message_model|>set_alarm<|content_invoke_tool_json|>{"name":"set_alarm","args":{"at":"6:40"}}<|end_message|>';
const hy = (suffix: string, separator: string): string =>
  `<tool_calls${suffix}><tool_call${suffix}>set_alarm${separator}<arg_key${suffix}>at</arg_key${suffix}><arg_value${suffix}>6:40</arg_value${suffix}></tool_call${suffix}></tool_calls${suffix}>`;

it.each<[name: string, answer: string, reasoning: string, text: string, calls: number, prompt?: string]>([
  [
    'muse-glimmer',
    ' to=self<|message|>Early.<|eom|><|start|>assistant to=user<|message|>Good night.',
    'Early.',
    'Good night.',
    0,
  ],
  [
    'muse-glimmer',
    ' to=self<|message|>Early.<|start|>assistant to=user<|message|>Good night.<|eot|>',
    'Early.',
    'Good night.',
    0,
  ],
  ['muse-glimmer', ' to=user<|message|>Good night.', '', 'Good night.', 0],
  [
    'muse-glimmer',
    ' to=self<|message|>Early.<|eom|><|start|>assistant<|message|>Good night.',
    'Early.',
    'Good night.',
    0,
  ],
  ['muse-glimmer', `to=set_alarm<|message|>\n${muse}`, '', '', 1],
  [
    'muse-glimmer',
    ` to=self<|message|>Early: ${muse}?<|eom|><|start|>assistant to=set_alarm<|message|>${muse}`,
    `Early: ${muse}?`,
    '',
    1,
  ],
  [
    'muse-glimmer',
    ` to=user<|message|>Wait.<|eom|><|start|>assistant to=set_alarm<|message|>${muse}<|eom|><|start|>assistant to=set_alarm<|message|>${muse}`,
    '',
    'Wait.',
    2,
  ],
  [
    'inkling',
    `<|message_model|><|content_thinking|>Early.<|end_message|><|message_model|><|content_text|>Good night.<|end_message|>`,
    'Early.',
    'Good night.',
    0,
  ],
  ['inkling', '<|content_text|>Good night.<|end_message|>', '', 'Good night.', 0],
  [
    'inkling',
    `<|message_model|><|content_thinking|>Early.<|end_message|><|message_model|><|content_text|>Wait.<|end_message|>${inkling}${inkling}<|content_model_end_sampling|>`,
    'Early.',
    'Wait.',
    2,
  ],
  ['inkling', inkling, '', '', 1],
  [
    'k2-horizon',
    'Early.</ifm|think_fast>\n<ifm|tool_calls><ifm|tool_call>set_alarm<ifm|arg_key>at</ifm|arg_key><ifm|arg_value>6:40</ifm|arg_value></ifm|tool_call></ifm|tool_calls>',
    'Early.',
    '',
    1,
    '<ifm|think_fast>',
  ],
  [
    'hy-3',
    `<think:opensource>Early.</think:opensource>Wait.${hy(':opensource', '<tool_sep:opensource>')}`,
    'Early.',
    'Wait.',
    1,
  ],
  ['hy-4', `<think:6124c78e></think:6124c78e>${hy(':6124c78e', '')}`, '', '', 1],
])('%s: %s', (name, answer, reasoning, text, calls, prompt = '') => {
  const toolCalls = knownFormat(name);
  // Hy's templates show their marks.
  const suffix = { 'hy-3': ':opensource', 'hy-4': ':6124c78e' }[name];
  const shown = { name, open: `<think${suffix}>`, close: `</think${suffix}>` };
  const format = reasoningFormats.find((candidate) => candidate.name === name) ?? createBlockFormat(shown);
  for (const pieces of [[answer], answer.split('')]) {
    const parser = createAnswerParser({
      reasoningSplitter: format.createSplitter(prompt, {
        openers: toolCalls.openers,
        createParser: () => toolCalls.createParser(tools),
      }),
      toolCallParser: toolCalls.createParser(tools),
      createToolCallId: () => 'call_1',
    });
    const events = [
      ...pieces.flatMap((piece) => parser.push(piece)),
      ...parser.end({ cutOff: false }).events,
    ];
    const read = { reasoning: '', text: '', names: [] as string[], arguments: '' };
    for (const event of events) {
      if (event.type === 'reasoning-delta') read.reasoning += event.text;
      else if (event.type === 'text-delta') read.text += event.text;
      else if (event.type === 'tool-call-start') read.names.push(event.name);
      else read.arguments += event.arguments.replace(/\s/g, '');
    }
    expect(read).toEqual({
      reasoning,
      text,
      names: Array.from({ length: calls }, () => 'set_alarm'),
      arguments: '{"at":"6:40"}'.repeat(calls),
    });
  }
});
