import type { CallFrame, ToolCallConstraint } from './format.ts';

/** Text around all calls of an answer, and around each. */
export interface CallsFrame {
  readonly begin?: string | undefined;
  readonly open?: string | undefined;
  readonly close?: string | undefined;
  /** A line break if left out. */
  readonly separator?: string | null | undefined;
  readonly end?: string | undefined;
  /** Trigger, if `begin` or `open` starts with more than needed. */
  readonly trigger?: string | undefined;
}

/** Calls in such a frame; `inner` has what stands around the arguments of one. */
export function framedCalls(
  frame: CallsFrame,
  inner: (name: string) => CallFrame,
  rest: Partial<ToolCallConstraint> = {},
): ToolCallConstraint {
  const { begin = '', open = '', close = '', separator = '\n', end = '' } = frame;
  return {
    trigger: frame.trigger ?? (begin === '' ? open : begin).replace(/\n[^]*/, ''),
    begin,
    call: (name) => {
      const { prefix, suffix } = inner(name);
      return { prefix: open + prefix, suffix: suffix + close };
    },
    separator,
    end,
    ...rest,
  };
}

/** The bare name, and a marker between it and the arguments. */
export function namedCall(marker: string): (name: string) => CallFrame {
  return (name) => ({ prefix: name + marker, suffix: '' });
}
