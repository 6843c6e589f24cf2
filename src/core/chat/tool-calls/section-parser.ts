import { createScriptedParser, type AnswerInput, type Reading } from './answer-input.ts';
import type { ToolCallFormat } from './format.ts';

/** Place of calls in an answer. */
export interface SectionSyntax {
  /** Markers that only come before an `open` marker, such as the one in front of all calls. */
  readonly begin?: readonly string[] | undefined;
  /** Markers after which calls begin. */
  readonly open: readonly string[];
  /** Beginnings of calls that need no marker where the answer or one of its lines begins, such as `{`. */
  readonly bare?: readonly string[] | undefined;
  /** Markers that end a call while more may follow; dropped after a call, text elsewhere. */
  readonly close?: readonly string[] | undefined;
  /** Markers that end all calls; dropped after a call, text elsewhere. */
  readonly end?: readonly string[] | undefined;
  /**
   * Reads what follows an `open` marker (`''` before a bare call) as calls, or gives it up. May leave the close
   * marker to be dropped.
   */
  readCalls(input: AnswerInput, marker: string): Reading;
}

/**
 * Makes the parsers of a format with text and sections of calls in any order. A missing close marker does no harm. What turns
 * out not to be a call before it was announced comes back as text, markers included; text goes on after it. White space between
 * the markers of a section is dropped.
 */
export function createSectionParser(syntax: SectionSyntax): ToolCallFormat['createParser'] {
  const { begin = [], open, bare = [], close = [], end = [], readCalls } = syntax;
  const bareLines = bare.map((text) => `\n${text}`);
  const marked = open.filter((marker) => !bare.includes(marker));
  const openers = [...begin, ...open, ...bareLines];
  const closers = [...close, ...end];

  function* readAnswer(input: AnswerInput): Reading {
    input.callEnds = [...begin, ...open.filter((marker) => !isCallStart(marker)), ...closers];
    let isBehindCall = yield* readBareStart(input);
    for (;;) {
      const markers = isBehindCall ? [...openers, ...closers] : openers;
      let marker = yield* input.takeTextUntil(markers, isBehindCall ? closers : []);
      if (marker === null) return;
      if (closers.includes(marker) && isBehindCall) {
        isBehindCall = close.includes(marker);
        input.drop();
        if (isBehindCall) yield* input.dropSpace();
        continue;
      }
      if (bareLines.includes(marker)) {
        input.putBack(marker.length - 1);
        marker = (yield* input.takeAny(marked)) ?? '';
      } else if (begin.includes(marker)) {
        yield* input.takeSpace();
        marker = yield* input.takeAny(open);
      }
      const { calls } = input;
      if (marker === null) input.giveUp();
      else yield* readCalls(input, marker);
      isBehindCall ||= input.calls > calls;
    }
  }

  function* readBareStart(input: AnswerInput): Reading<boolean> {
    if (bare.length === 0) return false;
    // Under a grammar, only a line break may come first.
    const space = input.canReadAgain
      ? yield* input.takeSpace()
      : yield* input.takeWhile((unit) => unit === '\n');
    const first = yield* input.peekAny([...bare, ...marked]);
    if (first === null || marked.includes(first)) input.putBack(space.length);
    else yield* readCalls(input, '');
    return input.calls > 0;
  }

  return (tools, options) => createScriptedParser(readAnswer, tools, options);
}

/** A marker that is the beginning of a call itself may stand inside of another. */
function isCallStart(marker: string): boolean {
  return marker === '[' || marker === '{';
}
