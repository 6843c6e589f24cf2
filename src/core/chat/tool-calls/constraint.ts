import type { ArgumentsNotation } from '../../grammar/schemas/notation.ts';
import { fill, partsOf } from './edges.ts';
import { itemsArguments } from './items-notation.ts';
import { elementMark, type CallNotation } from './notation.ts';

/**
 * Notation of calls, for generating them under a grammar:
 *
 * ```text
 * begin  call(name₁).prefix  {arguments₁}  call(name₁).suffix  separator  …  end
 * ```
 *
 * `⟨number⟩` and `⟨id⟩` match any, and line breaks are optional. The format's parser reads these calls.
 */
export interface ToolCallConstraint {
  /**
   * Text that only calls begin with: until it occurs, an answer that may call a tool is free text. Default: for each tool, the
   * text before the arguments of a first call.
   */
  readonly trigger?: string | undefined;
  /** Before the trigger, except at the start of an answer; default empty. */
  readonly lead?: string | undefined;
  /** Before the first call. May be empty. */
  readonly begin: string;
  call(name: string): CallFrame;
  /** Between two calls; `null` if an answer has a single call. */
  readonly separator: string | null;
  /** After the last call. May be empty. */
  readonly end: string;
  /** What may follow `end`, each part only behind those before it. */
  readonly tail: readonly string[];
  /** Notation of the arguments of a tool with this schema; default: a JSON object. */
  readonly arguments?: ((schema: unknown) => ArgumentsNotation) | undefined;
  /** Alternative notations of the format. */
  readonly others?: readonly ToolCallConstraint[] | undefined;
}

/** The frame of one call's arguments. */
export interface CallFrame {
  readonly prefix: string;
  readonly suffix: string;
}

export function frameOf(notation: CallNotation, name: string): CallFrame {
  if (notation.kind === 'items') return { prefix: name, suffix: '' };
  const { kind, before, behind, id } = notation;
  const written = kind === 'json' ? JSON.stringify(name).slice(1, -1) : name;
  const slots = { name: written, id: id && fill(id, { name }) };
  return { prefix: fill(before, slots), suffix: fill(behind, slots) };
}

export function createConstraint(notation: CallNotation): ToolCallConstraint {
  const { kind, begin, between } = notation;
  // A name before the call, such as a recipient, belongs to the call.
  const opening = begin.includes('⟨name⟩') ? begin : '';
  const separator = between !== null && opening !== '' ? between.slice(0, -opening.length) : between;
  const head = opening === '' ? begin : '';
  const first = partsOf(head, elementMark(notation))[0]?.trim().replace(/⟨[^]*/, '');
  // A call without a mark is found by its keys, by the start of a line, or by the separator.
  const isBare = !/[<[|`].*\w\w|\w.*\n/s.test(begin);
  const isMarked = !isBare && opening === '';
  const keys = isBare && kind === 'json' ? (head + notation.before).split('⟨', 1)[0]!.trimStart() : undefined;
  const trigger = isMarked ? first : keys;
  const lead = !isBare || kind === 'json' ? undefined : kind === 'items' ? '\n' : between?.trim();
  return {
    begin: head,
    separator,
    ...cutEnd(notation),
    call: (name) => {
      const { prefix, suffix } = frameOf(notation, name);
      return { prefix: fill(opening, { name }) + prefix, suffix };
    },
    arguments: kind === 'items' ? itemsArguments(notation) : undefined,
    trigger,
    lead: lead || undefined,
  };
}

/** The required end of the last call, and its optional tail, such as the end of a section or of the turn. */
function cutEnd(notation: CallNotation): { end: string; tail: readonly string[] } {
  const { kind, between, end } = notation;
  const [first = '', ...tail] = partsOf(end, elementMark(notation));
  const isRequired = kind === 'items' || (between ?? '').startsWith(first) || !/^\s*<\W/.test(first);
  return isRequired ? { end: first, tail } : { end: '', tail: [first, ...tail] };
}
