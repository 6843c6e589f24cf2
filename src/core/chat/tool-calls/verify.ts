import { parseExact } from '../../text/exact-json.ts';
import { canonicalText } from '../../grammar/schemas/keywords.ts';
import { orElse } from '../../text/or-else.ts';
import type { CallNotation } from './notation.ts';
import { createReader, marksOf } from './reader.ts';
import { toolsFor, type ProbedCall } from './template-turn.ts';

const text = 'He said "Grüße aus Köln", {ok} & <b>';

/** Calls with values of all types that no notation was derived from. */
const trials: readonly (readonly ProbedCall[])[] = [
  [['gamma_x', { city: text }]],
  [['gamma_x', { city: "it's one\n two\\n", town: 'Ulm' }]],
  [['gamma_x', { box: { a: { b: [1, 'zwei'], c: null }, d: 'Ö' } }]],
  [['gamma_x', { list: ['x"y', 2, { z: true }, []] }]],
  [['gamma_x', { flag: true, off: false, none: null }]],
  [['gamma_x', {}]],
  [['gamma_x', { city: '007', count: -42, ratio: 1.5 }]],
  [
    ['gamma_x', { city: text, count: 3 }],
    ['delta_yy', { box: { a: 1 }, flag: false }],
  ],
];

/**
 * Checks that a notation reads back the calls that the template writes.
 *
 * @param write the turn with these calls; `undefined` where the template can't
 * @returns the first turn that is read otherwise
 */
export function findMisread(
  notation: CallNotation,
  write: (calls: readonly ProbedCall[]) => string | undefined,
): string | undefined {
  const createParser = createReader([marksOf(notation)]);
  for (const calls of trials) {
    const turn = calls.length > 1 && notation.between === null ? undefined : write(calls);
    if (turn !== undefined && !readsBack(createParser, calls, turn)) return turn;
  }
  return undefined;
}

/** Whether a reader finds these calls in a turn. */
export function readsBack(
  createParser: ReturnType<typeof createReader>,
  calls: readonly ProbedCall[],
  turn: string,
): boolean {
  const parser = createParser(toolsFor(calls));
  const read: [name: string, text: string][] = [];
  for (const event of [...parser.push(turn), ...parser.flush()]) {
    if (event.type === 'call-start') read.push([event.name, '']);
    if (event.type === 'arguments') read.at(-1)![1] += event.text;
  }
  const found = read.map(([name, json]) => [name, orElse(() => parseExact(json), json)]);
  return canonicalText(found) === canonicalText(calls);
}
