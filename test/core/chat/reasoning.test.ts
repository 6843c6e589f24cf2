import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createReasoningSplitter } from '../../../src/core/chat/reasoning.ts';
import { cutTexts, soup } from '../text/pieces.ts';
import { hermesFormat } from '../../../src/core/chat/tool-calls/rows.ts';
import { knownFormat } from './tool-calls/known-formats.ts';
import type { ToolCallFormat } from '../../../src/core/chat/tool-calls/format.ts';
import { runs } from '../../thorough.ts';

const markers = { open: '<think>', close: '</think>' };

function split(pieces: readonly string[], startsOpen = false) {
  const splitter = createReasoningSplitter({ ...markers, startsOpen });
  const parts = pieces.flatMap((piece) => splitter.push(piece));
  parts.push(...splitter.flush());
  const join = (type: string) =>
    parts
      .filter((part) => part.type === type)
      .map((part) => part.text)
      .join('');
  return { reasoning: join('reasoning'), text: join('text'), parts };
}

describe('createReasoningSplitter', () => {
  it.each([
    ['a block', '<think>a</think>b', 'a', 'b'],
    ['outer white space', ' \n<think>\n a\n\n b \n</think>\n\nc\n\nd\n', 'a\n\n b', 'c\n\nd\n'],
    ['an empty block', '<think>\n\n</think>\n\nb', '', 'b'],
    ['an unclosed block', '<think>\na </thin\n', 'a </thin', ''],
    ['a block cut inside the close marker', '<think>a</thi', 'a</thi', ''],
    ['no block', ' \n b <think>c</think>', '', ' \n b <think>c</think>'],
    ['a second block', '<think>a</think>b<think>c</think>', 'a', 'b<think>c</think>'],
    ['a close marker alone in the middle', 'a</think>b', '', 'a</think>b'],
    ['a close marker at the beginning', '\n</think>\nb', '', 'b'],
    ['an open marker that never ends', '<thi', '', '<thi'],
    ['nearly a marker', '<thing>', '', '<thing>'],
    ['an open marker inside the thinking', '<think>a<think>b</think>c', 'a<think>b', 'c'],
    ['white space only', ' \n', '', ' \n'],
    ['nothing', '', '', ''],
  ])('%s', (_, text, reasoning, answer) => {
    for (const pieces of [[text], [...text]])
      expect(split(pieces)).toMatchObject({ reasoning, text: answer });
  });

  it.each([
    ['a block opened by the template', '\na\n</think>\n\nb', 'a', 'b'],
    ['one that the model opens again', '<think>\na</think>b', 'a', 'b'],
    ['one closed at once', '</think>b', '', 'b'],
    ['one that is never closed', 'a < b', 'a < b', ''],
    ['one cut inside a marker', '\n<thi', '<thi', ''],
  ])('startsOpen: %s', (_, text, reasoning, answer) => {
    for (const pieces of [[text], [...text]]) {
      expect(split(pieces, true)).toMatchObject({ reasoning, text: answer });
    }
  });

  it('gives out thinking as it comes', () => {
    expect(split(['<think>\nOne', ' two\n', '\nthree', '</th', 'ink>\n', '\n4', '!']).parts).toEqual([
      { type: 'reasoning', text: 'One' },
      { type: 'reasoning', text: ' two' },
      { type: 'reasoning', text: '\n\nthree' },
      { type: 'text', text: '4' },
      { type: 'text', text: '!' },
    ]);
  });

  it('says where it stands', () => {
    const splitter = createReasoningSplitter({ ...markers, startsOpen: false });
    const places = ['<think>', 'a', '</think>', 'b'].map(
      (piece) => (splitter.push(piece), splitter.isReasoning),
    );
    expect(places).toEqual([true, true, false, false]);
    expect(createReasoningSplitter({ ...markers, startsOpen: true }).isReasoning).toBe(true);
  });

  it('rejects empty markers', () => {
    expect(() => createReasoningSplitter({ open: '', close: 'x', startsOpen: true })).toThrow(RangeError);
    expect(() => createReasoningSplitter({ open: 'x', close: '', startsOpen: true })).toThrow(RangeError);
  });

  it('does not depend on the cut, and loses nothing but white space and its own markers', () => {
    const texts = soup('<think>', '</think>', '<', 'think', '>', ' ', '\n', 'a', 'b😀');
    fc.assert(
      fc.property(cutTexts(texts), fc.boolean(), ({ text, pieces }, startsOpen) => {
        const whole = split([text], startsOpen);
        const { reasoning, text: answer, parts } = split(pieces, startsOpen);
        expect({ reasoning, answer }).toEqual({ reasoning: whole.reasoning, answer: whole.text });
        expect(parts.every((part) => part.text !== '')).toBe(true);
        expect(reasoning).toBe(reasoning.trim());
        const trimmed = text.trimStart();
        const inner = trimmed.startsWith('<think>') ? trimmed.slice('<think>'.length) : trimmed;
        const isBlock = startsOpen || inner !== trimmed || trimmed.startsWith('</think>');
        const end = inner.indexOf('</think>');
        const expected = !isBlock
          ? ['', text]
          : end < 0
            ? [inner.trim(), '']
            : [inner.slice(0, end).trim(), inner.slice(end + '</think>'.length).trimStart()];
        expect([reasoning, answer]).toEqual(expected);
      }),
      { numRuns: runs(2000) },
    );
  });
});

describe('createReasoningSplitter with calls', () => {
  const weather = '<tool_call>\n{"name": "f", "arguments": {"a": "</think>"}}\n</tool_call>';
  const kimi =
    '<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>';
  const splitCalls = (format: ToolCallFormat, pieces: readonly string[], cutOff = false) => {
    const splitter = createReasoningSplitter(
      { open: '<think>', close: '</think>', startsOpen: true },
      { openers: format.openers, createParser: () => format.createParser([]) },
    );
    const found = { reasoning: '', text: '' };
    for (const piece of pieces) for (const { type, text } of splitter.push(piece)) found[type] += text;
    for (const { type, text } of splitter.flush({ cutOff })) found[type] += text;
    return [found.reasoning, found.text];
  };

  it.each<[string, ToolCallFormat, string, [string, string]]>([
    ['a call', hermesFormat, `I call it.\n\n${weather}\nDone`, ['I call it.', `${weather}\nDone`]],
    ['a call of its own format', knownFormat('kimi-k2'), `Well. ${kimi}`, ['Well.', kimi]],
    ['a call at the beginning', hermesFormat, weather, ['', weather]],
    ['a call and the end after it', hermesFormat, `a ${weather}\n</think>\n\nb`, ['a', `${weather}\nb`]],
    ['a marker alone', hermesFormat, 'Use <tool_call> tags.</think>Yes', ['Use <tool_call> tags.', 'Yes']],
    ['the end after a marker', hermesFormat, 'a <tool_call></think>b', ['a <tool_call>', 'b']],
    ['a broken call', hermesFormat, 'a <tool_call>{"name": 1}</think>b', ['a <tool_call>{"name": 1}', 'b']],
    ['a call after a marker', hermesFormat, `<tool_call> is it. ${weather}`, ['<tool_call> is it.', weather]],
    ['a call after the end', hermesFormat, `a</think>${weather}`, ['a', weather]],
    ['a marker at the end', hermesFormat, 'a <tool_call>\n{"na', ['a <tool_call>\n{"na', '']],
  ])('%s', (_, format, text, parts) => {
    expect(splitCalls(format, [text])).toEqual(parts);
    for (let index = 1; index < text.length; index++) {
      expect(splitCalls(format, [text.slice(0, index), text.slice(index)])).toEqual(parts);
    }
    expect(splitCalls(format, [...text])).toEqual(parts);
  });

  it('does not depend on how the text was cut', () => {
    const texts = soup(
      weather,
      '<tool_call>',
      '</tool_call>',
      '{"name": "f", ',
      '</think>',
      '}',
      ' ',
      '\n',
      'text😀',
      '<',
    );
    fc.assert(
      fc.property(cutTexts(texts), fc.boolean(), ({ text, pieces }, cutOff) => {
        expect(splitCalls(hermesFormat, pieces, cutOff)).toEqual(splitCalls(hermesFormat, [text], cutOff));
      }),
      { numRuns: runs(500) },
    );
  });
});
