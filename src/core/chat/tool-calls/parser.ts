import type { PieceReader } from '../text-input.ts';

/**
 * The parts of a model's answer, in order. Concatenating the `arguments` texts between a `call-start` and its
 * `call-end` gives a JSON object. Calls do not overlap.
 */
export type ToolCallParserEvent =
  /** Text outside of calls, and text that looked like a call. */
  | { readonly type: 'text'; readonly text: string }
  /** `id` is there where the model itself wrote one. */
  | { readonly type: 'call-start'; readonly name: string; readonly id?: string }
  | { readonly type: 'arguments'; readonly text: string }
  /** The arguments that came are complete, valid JSON. */
  | { readonly type: 'call-end' }
  /**
   * The call that had begun will not be completed: the answer was cut off inside it. Arguments that came are the
   * beginning of a JSON object. Comes instead of `call-end`; the call may not even have been announced by `call-start`.
   */
  | { readonly type: 'call-unfinished' };

/** Facts about the answer that a parser will read. */
export interface ToolCallParserOptions {
  /**
   * Whether a grammar keeps the calls whole: then arguments are emitted as they are written. Otherwise a call is emitted when it
   * is complete, so that a broken call can be mended or become text. Default false.
   */
  readonly isConstrained?: boolean | undefined;
}

/**
 * Reads the tool calls of one answer in one format of models. Pure and incremental: how the answer is cut into
 * pieces changes nothing but the lengths of the events' texts. Never throws on any text. If the answer is cut off, the beginning
 * of a call that was not announced yet is dropped; otherwise it becomes text.
 */
export type ToolCallParser = PieceReader<ToolCallParserEvent>;
