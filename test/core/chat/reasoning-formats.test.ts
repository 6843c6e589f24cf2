import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createAnswerParser, type AnswerEvent } from '../../../src/core/chat/answer-parser.ts';
import { reasoningFormats } from '../../../src/core/chat/reasoning-formats.ts';
import type { ReasoningSplitter } from '../../../src/core/chat/reasoning.ts';
import { createHarmonySplitter } from '../../../src/core/chat/reasoning-harmony.ts';
import { knownFormat } from './tool-calls/known-formats.ts';
import { cut, cutTexts, soup } from '../text/pieces.ts';
import { runs } from '../../thorough.ts';

function split(splitter: ReasoningSplitter, pieces: readonly string[], cutOff = false) {
  const parts = [...pieces.flatMap((piece) => splitter.push(piece)), ...splitter.flush({ cutOff })];
  const join = (type: string) =>
    parts
      .filter((part) => part.type === type)
      .map(({ text }) => text)
      .join('');
  return { reasoning: join('reasoning'), text: join('text') };
}

const byName = (name: string) => reasoningFormats.find((format) => format.name === name)!;

describe.each(reasoningFormats.map((format) => [format.name, format] as const))('%s', (_, format) => {
  it('reads its own example', () => {
    for (const pieces of [[format.example], format.example.split('')]) {
      expect(split(format.createSplitter(''), pieces)).toEqual({
        reasoning: 'They ask for …',
        text: 'The answer is …',
      });
    }
  });

  it('does not depend on the cut, and loses no words', () => {
    const word = 'wörd😀';
    const texts = soup(
      format.example,
      ...format.markers,
      ...format.markers,
      word,
      word,
      '<',
      ' ',
      '\n',
      'analysis',
      'to=f',
    );
    fc.assert(
      fc.property(cutTexts(texts), fc.boolean(), fc.boolean(), ({ text, pieces }, startsOpen, cutOff) => {
        const prompt = startsOpen ? `…${format.markers[0]!}\n` : '…';
        const whole = split(format.createSplitter(prompt), [text], cutOff);
        expect(split(format.createSplitter(prompt), pieces, cutOff)).toEqual(whole);
        if (cutOff || format.name === 'harmony') return;
        expect(`${whole.reasoning} ${whole.text}`.split(word).length).toBe(text.split(word).length);
      }),
      { numRuns: runs(400) },
    );
  });
});

describe('reasoning formats', () => {
  it.each([
    ['think', '<|im_start|>assistant\n<think>\n', 'Hm.\n</think>\nFour.', 'Hm.', 'Four.'],
    ['think', '<|im_start|>assistant\n<think>\n\n</think>\n\n', 'Four.', '', 'Four.'],
    ['granite-3.2', '…', "Here's my thought process: Hm.\nHere is my response: Four.", 'Hm.', 'Four.'],
    ['granite-3.3', '…', '<think>Hm.</think><response>Four <b></response>.', 'Hm.', 'Four <b>.'],
    ['granite-3.3', '…', 'Write </response> or <response>.', '', 'Write </response> or <response>.'],
    [
      'command-r',
      '<|START_THINKING|><|END_THINKING|>',
      '<|START_RESPONSE|>Four.<|END_RESPONSE|>',
      '',
      'Four.',
    ],
    ['gemma-4', '<|turn>model\n', '<|channel>thought\nHm.\n<channel|>Four.', 'Hm.', 'Four.'],
    ['gemma-4', '<|turn>model\n', '<|channel>Hm.\n<channel|>Four.', 'Hm.', 'Four.'],
  ])('%s after %j: %j', (name, prompt, text, reasoning, answer) => {
    expect(split(byName(name).createSplitter(prompt), [text])).toEqual({ reasoning, text: answer });
    expect(split(byName(name).createSplitter(prompt), text.split(''))).toEqual({ reasoning, text: answer });
  });
});

describe('createHarmonySplitter', () => {
  const analysis = '<|channel|>analysis<|message|>Hm.<|end|>';
  const next = '<|start|>assistant';
  it.each([
    ['thinking and answer', `${analysis}${next}<|channel|>final<|message|>Four.<|return|>`, 'Hm.', 'Four.'],
    ['no channels', 'Four.', '', 'Four.'],
    ['text like a recipient', 'to be or not', '', 'to be or not'],
    [
      'a preamble',
      `<|channel|>commentary<|message|>Wait.<|end|>${next}<|channel|>final<|message|>OK`,
      '',
      'Wait.\nOK',
    ],
    ['two thoughts', `${analysis}${next}${analysis}`, 'Hm.\nHm.', ''],
    ['no start marker', `${analysis}<|channel|>final<|message|>Four.`, 'Hm.', 'Four.'],
    [
      'no end marker',
      `<|channel|>analysis<|message|>Hm.${next}<|channel|>final<|message|>Four.`,
      'Hm.',
      'Four.',
    ],
    ['an empty thought', '<|channel|>analysis<|message|><|end|>Four.', '', 'Four.'],
    ['a header that is none', `<|channel|>${'long '.repeat(200)}`, '', `<|channel|>${'long '.repeat(200)}`],
    ['half a header', '<|channel|>fin', '', '<|channel|>fin'],
    [
      'a call',
      `${analysis}${next}<|channel|>commentary to=functions.f <|constrain|>json<|message|>{}<|call|>`,
      'Hm.',
      `${next}<|channel|>commentary to=functions.f <|constrain|>json<|message|>{}<|call|>`,
    ],
  ])('%s', (_, text, reasoning, answer) => {
    expect(split(createHarmonySplitter(), [text])).toEqual({ reasoning, text: answer });
    expect(split(createHarmonySplitter(), text.split(''))).toEqual({ reasoning, text: answer });
  });

  it('drops a header that was cut off', () => {
    expect(split(createHarmonySplitter(), ['<|channel|>fin'], true)).toEqual({ reasoning: '', text: '' });
  });

  it('knows when the model is thinking', () => {
    const splitter = createHarmonySplitter();
    const states = ['<|channel|>analysis', '<|message|>', 'Hm.', '<|end|>'].map(
      (piece) => (splitter.push(piece), splitter.isReasoning),
    );
    expect(states).toEqual([false, true, true, false]);
  });
});

describe('createAnswerParser with harmony', () => {
  const read = (pieces: readonly string[], options: { stop?: string[]; cutOff?: boolean } = {}) => {
    const parser = createAnswerParser({
      stop: options.stop,
      reasoningSplitter: createHarmonySplitter(),
      toolCallParser: knownFormat('harmony').createParser([]),
      createToolCallId: () => 'call_0',
    });
    const events = pieces.flatMap((piece) => parser.push(piece));
    const end = parser.end({ cutOff: options.cutOff ?? false });
    const all: AnswerEvent[] = [...events, ...end.events];
    const join = (type: AnswerEvent['type']) =>
      all.map((event) => (event.type === type && 'text' in event ? event.text : '')).join('');
    const calls = all.flatMap((event) => (event.type === 'tool-call-start' ? [event.name] : []));
    const values = all.map((event) => (event.type === 'tool-call-delta' ? event.arguments : '')).join('');
    return {
      reasoning: join('reasoning-delta'),
      content: join('text-delta'),
      calls,
      values,
      finishReason: end.finishReason,
    };
  };
  const thought = '<|channel|>analysis<|message|>They want the weather.<|end|><|start|>assistant';
  const body = ' <|constrain|>json<|message|>{"city": "<|end|>"}<|call|>';

  it.each([
    ['the recipient after the channel', `${thought}<|channel|>commentary to=functions.get_weather${body}`],
    ['the recipient before the channel', `${thought} to=functions.get_weather<|channel|>commentary${body}`],
    [
      'a call without thinking',
      ` to=functions.get_weather<|channel|>commentary json<|message|>{"city": "<|end|>"}`,
    ],
  ])('reads %s', (name, text) => {
    const expected = {
      reasoning: name.includes('without') ? '' : 'They want the weather.',
      content: '',
      calls: ['get_weather'],
      values: '{"city": "<|end|>"}',
      finishReason: 'tool_calls',
    };
    for (let size = 1; size < text.length; size++) expect(read(cut(text, [size]))).toEqual(expected);
  });

  it('never lets a stop sequence act inside the thinking', () => {
    const text = `${thought}<|channel|>final<|message|>Well. They want`;
    expect(read([text], { stop: ['They'] })).toMatchObject({
      reasoning: 'They want the weather.',
      content: 'Well. ',
      finishReason: 'stop',
    });
  });

  it('passes no call off as whole that was cut off', () => {
    const text = `${thought}<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>{"city": "Pa`;
    expect(read([text], { cutOff: true })).toMatchObject({
      calls: ['get_weather'],
      values: '{"city": "Pa',
      finishReason: 'length',
    });
  });
});
