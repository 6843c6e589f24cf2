import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createAnswerParser,
  type AnswerEvent,
  type AnswerParserOptions,
} from '../../../src/core/chat/answer-parser.ts';
import { createReasoningSplitter } from '../../../src/core/chat/reasoning.ts';
import { knownFormat } from './tool-calls/known-formats.ts';
import { hermesFormat } from '../../../src/core/chat/tool-calls/rows.ts';
import { cutTexts, soup } from '../text/pieces.ts';
import { runs } from '../../thorough.ts';

interface Setting extends Omit<
  AnswerParserOptions,
  'createToolCallId' | 'toolCallParser' | 'reasoningSplitter'
> {
  readonly thinks?: boolean;
  readonly startsOpen?: boolean;
  readonly tools?: boolean;
  readonly cutOff?: boolean;
}

function answer(pieces: readonly string[], setting: Setting = {}) {
  const { thinks = true, startsOpen = false, tools = true, cutOff = false, stop, isCallsAlone } = setting;
  let ids = 0;
  const parser = createAnswerParser({
    stop,
    isCallsAlone,
    reasoningSplitter: thinks
      ? createReasoningSplitter({ open: '<think>', close: '</think>', startsOpen })
      : undefined,
    toolCallParser: tools ? hermesFormat.createParser([]) : undefined,
    createToolCallId: () => `call_${ids++}`,
  });
  const events: AnswerEvent[] = [];
  let generated = 0;
  for (const piece of pieces) {
    if (parser.stopped !== null) break;
    events.push(...parser.push(piece));
    generated++;
  }
  const end = parser.end({ cutOff });
  events.push(...end.events);
  return { ...collect(events), finishReason: end.finishReason, stopped: parser.stopped, generated };
}

function collect(events: readonly AnswerEvent[]) {
  let reasoning = '';
  let content = '';
  const calls: { id: string; name: string; arguments: string }[] = [];
  for (const event of events) {
    if (event.type === 'reasoning-delta') reasoning += event.text;
    else if (event.type === 'text-delta') content += event.text;
    else if (event.type === 'tool-call-start') {
      expect(event.call).toBe(calls.length);
      calls.push({ id: event.id, name: event.name, arguments: '' });
    } else calls[event.call]!.arguments += event.arguments;
  }
  return { reasoning, content, calls };
}

const weather = '<tool_call>\n{"name": "weather", "arguments": {"city": "Paris"}}\n</tool_call>';
const weatherCall = { id: 'call_0', name: 'weather', arguments: '{"city": "Paris"}' };

describe('createAnswerParser', () => {
  it.each<[string, string, Setting, Partial<ReturnType<typeof answer>>]>([
    ['text', 'Hello\n', {}, { content: 'Hello\n', finishReason: 'stop', calls: [] }],
    ['text at the token limit', 'Hello ', { cutOff: true }, { content: 'Hello ', finishReason: 'length' }],
    ['white space only', '\n\n', {}, { content: '\n\n', finishReason: 'stop' }],
    [
      'thinking, then a call',
      `<think>\nHm\n</think>\n\n${weather}\n`,
      {},
      { reasoning: 'Hm', content: '', calls: [weatherCall], finishReason: 'tool_calls' },
    ],
    [
      'two calls with text before',
      `Let me see.\n\n${weather}\n${weather}\n`,
      {},
      {
        content: 'Let me see.',
        calls: [weatherCall, { ...weatherCall, id: 'call_1' }],
        finishReason: 'tool_calls',
      },
    ],
    ['text after a call', `${weather}\nDone.\n`, {}, { content: '\nDone.', calls: [weatherCall] }],
    ['no tools', weather, { tools: false }, { content: weather, calls: [], finishReason: 'stop' }],
    [
      'no thinking model',
      '<think>a</think>',
      { thinks: false },
      { content: '<think>a</think>', reasoning: '' },
    ],
    ['a block opened by the template', 'a</think>b', { startsOpen: true }, { reasoning: 'a', content: 'b' }],
    [
      'thinking cut off',
      '<think>a',
      { cutOff: true },
      { reasoning: 'a', content: '', finishReason: 'length' },
    ],
    [
      'a stop sequence',
      'one\n\ntwo',
      { stop: ['\n\n'] },
      { content: 'one', finishReason: 'stop', stopped: '\n\n' },
    ],
    [
      'a stop sequence inside the thinking and in the answer',
      '<think>a\n\nb</think>\n\nc\n\nd',
      { stop: ['\n\n'] },
      { reasoning: 'a\n\nb', content: 'c', stopped: '\n\n' },
    ],
    [
      'a stop sequence at the token limit',
      'one.two',
      { stop: ['.'], cutOff: true },
      { content: 'one', finishReason: 'stop' },
    ],
    [
      'half a stop sequence at the end',
      'one EN',
      { stop: ['END'] },
      { content: 'one EN', finishReason: 'stop', stopped: null },
    ],
    [
      'a stop sequence after a whole call',
      weather,
      { stop: ['</tool_call>'] },
      { calls: [weatherCall], content: '', finishReason: 'tool_calls' },
    ],
    [
      'a limit inside the marker that opens a required call',
      '<tool_call',
      { isCallsAlone: true, cutOff: true },
      { calls: [], content: '', finishReason: 'length' },
    ],
    [
      'a stop sequence inside the frame of a call',
      weather,
      { stop: ['\n', '<tool'] },
      { calls: [weatherCall], content: '', finishReason: 'tool_calls', stopped: null },
    ],
    [
      'a stop sequence inside the arguments',
      weather,
      { stop: ['Par'] },
      { calls: [weatherCall], content: '', finishReason: 'tool_calls', stopped: null },
    ],
    [
      'a call cut off inside its name',
      'Wait.\n<tool_call>\n{"name": "wea',
      { cutOff: true },
      { content: 'Wait.', calls: [], finishReason: 'length' },
    ],
    [
      'a call cut off inside its arguments',
      '<tool_call>\n{"name": "weather", "arguments": {"city": "Par',
      { cutOff: true },
      { calls: [{ ...weatherCall, arguments: '{"city": "Par' }], finishReason: 'length' },
    ],
    [
      'a whole call at the token limit',
      weather,
      { cutOff: true },
      { calls: [weatherCall], finishReason: 'length' },
    ],
    [
      'no call after all',
      'x <tool_call>{no}</tool_call> ',
      {},
      { content: 'x <tool_call>{no}</tool_call> ', calls: [], finishReason: 'stop' },
    ],
  ])('%s', (_, text, setting, expected) => {
    expect(answer([text], setting)).toMatchObject(expected);
    expect(answer([...text], setting)).toMatchObject(expected);
  });

  it('keeps the ids that a model writes, and counts calls that share one', () => {
    const section = (...ids: string[]) =>
      `<|tool_calls_section_begin|>${ids.map((id) => `<|tool_call_begin|>${id}<|tool_call_argument_begin|>{}<|tool_call_end|>`).join('')}<|tool_calls_section_end|>`;
    const idsOf = (text: string) => {
      const parser = createAnswerParser({
        toolCallParser: knownFormat('kimi-k2').createParser([]),
        createToolCallId: () => 'made',
      });
      const events = [...parser.push(text), ...parser.end({ cutOff: false }).events];
      return events.flatMap((event) =>
        event.type === 'tool-call-start' ? [`${event.name} ${event.id}`] : [],
      );
    };
    expect(idsOf(section('functions.f:0', 'functions.g:1'))).toEqual(['f functions.f:0', 'g functions.g:1']);
    expect(idsOf(section('functions.f:0', 'functions.g:0', 'functions.f:0'))).toEqual([
      'f functions.f:0',
      'g functions.g:1',
      'f functions.f:2',
    ]);
    expect(idsOf(section('functions.f:7'))).toEqual(['f functions.f:7']);
  });

  it('says when to stop generating, and ignores what comes after', () => {
    expect(answer([...'ab.cd'], { stop: ['.'] }).generated).toBe(3);
    const parser = createAnswerParser({ stop: ['.'], createToolCallId: () => '' });
    expect([parser.push('a.b'), parser.push('c'), parser.end({ cutOff: false })]).toEqual([
      [{ type: 'text-delta', text: 'a' }],
      [],
      { events: [], finishReason: 'stop' },
    ]);
  });

  it('says whether the model is thinking', () => {
    const parser = createAnswerParser({
      reasoningSplitter: createReasoningSplitter({ open: '<think>', close: '</think>', startsOpen: false }),
      createToolCallId: () => '',
    });
    const states = ['<think>', 'a', '</think>', 'b'].map((piece) => (parser.push(piece), parser.isReasoning));
    expect(states).toEqual([true, true, false, false]);
    expect(createAnswerParser({ createToolCallId: () => '' }).isReasoning).toBe(false);
  });

  it('does not depend on how the text was cut', () => {
    const texts = soup(
      '<think>',
      '</think>',
      weather,
      '<tool_call>',
      '</tool_call>',
      '{"name": "f", "arguments": {',
      '"a": 1',
      '}}',
      ' ',
      '\n',
      'END',
      'E',
      '<',
      'text😀',
    );
    const settings = fc.record({
      thinks: fc.boolean(),
      startsOpen: fc.boolean(),
      tools: fc.boolean(),
      cutOff: fc.boolean(),
      stop: fc.subarray(['END', '\n\n', '</tool_call>', 'x']),
    });
    fc.assert(
      fc.property(cutTexts(texts), settings, ({ text, pieces }, setting) => {
        const { generated: _, ...whole } = answer([text], setting);
        const { generated: __, ...cut } = answer(pieces, setting);
        expect(cut).toEqual(whole);
        if (whole.finishReason === 'tool_calls') expect(whole.calls.length).toBeGreaterThan(0);
      }),
      { numRuns: runs(3000) },
    );
  });
});
