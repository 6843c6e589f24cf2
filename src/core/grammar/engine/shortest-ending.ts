import type { State } from './automaton.ts';
import { roundsOf, type Frame, type Thread } from './threads.ts';
import { plainestOf } from '../languages/shortest.ts';
import type { Program, Step } from './program.ts';

/** Beyond so many bytes, no ending is looked for. */
export const maxBytes = 8192;
/** Passes over a program; what isn't known by then has no ending. */
const maxPasses = 32;

/**
 * Finds the shortest texts that complete what has been written: every step of a program knows how many bytes it takes from
 * there to the end of its rule or round, and the stack tells which rules and rounds are open. Items that differ are measured
 * as if each could be the shortest one.
 */
export function createShortestEndings(program: Program) {
  /** Bytes from each step to the end of its rule, round or grammar. */
  const lengths = new Float64Array(program.steps.length).fill(Infinity);
  const rests = new WeakMap<Frame, number>();
  return { learn, lengthFrom, isInList, bytesFrom };

  /** Learns the lengths, before anything is asked. In slices: yields after each pass. */
  function* learn(): Generator<void, void> {
    const { partEnds } = program;
    let changes = true;
    for (let pass = 0; changes && pass < maxPasses; pass++) {
      changes = false;
      // Rules mostly stand before those that they call, and steps behind those that they lead to.
      for (let part = partEnds.length - 1; part >= 0; part--) {
        const end = partEnds[part]!;
        for (let place = partEnds[part - 1] ?? 0; place < end; place++) changes = shorten(place) || changes;
      }
      yield;
    }
  }

  /** Bytes of the shortest ending; Infinity where none is known. */
  function lengthFrom(state: State): number {
    return state.mayEnd ? 0 : Math.min(...state.threads.map((thread) => lengthOf(thread)));
  }

  /** Whether a list of items that differ may be open, so that its length isn't known. */
  function isInList(state: State): boolean {
    return state.threads.some(({ frame }) => {
      for (let open = frame; open; open = open.below) if (open.items) return true;
      return false;
    });
  }

  /** The next bytes of the shortest ending; `undefined` where none is known. */
  function bytesFrom(state: State): readonly number[] | undefined {
    const length = lengthFrom(state);
    if (length > maxBytes) return undefined;
    return state.threads
      .filter((thread) => lengthOf(thread) === length)
      .map((thread) => bytesOf(thread))
      .find((bytes) => bytes !== undefined && bytes.length > 0);
  }

  function bytesOf({ place, frame, low, high }: Thread): readonly number[] | undefined {
    const step = program.steps[place]!;
    return step.op === 'read' ? step.reader.ending(frame!.reading!) : [plainestOf(low, high)];
  }

  /** @returns whether a shorter way was found */
  function shorten(place: number): boolean {
    const length = lengthOfStep(program.steps[place]!);
    if (length >= lengths[place]!) return false;
    lengths[place] = length;
    return true;
  }

  function lengthOfStep(step: Step): number {
    switch (step.op) {
      case 'byte':
        return 1 + lengths[step.next]!;
      case 'split':
        return step.next.reduce((least, next) => Math.min(least, lengths[next]!), Infinity);
      case 'call':
        return lengths[program.entries.get(step.rule)!]! + lengths[step.next]!;
      case 'loop':
        return roundsLength(step, 0);
      case 'begin':
        return (step.reader.ending(step.reader.start)?.length ?? Infinity) + lengths[step.next]!;
      case 'read':
        return lengths[step.exit]!;
      case 'distinct':
        return (
          lengths[step.next]! + roundsLength(program.steps[step.loop] as Extract<Step, { op: 'loop' }>, 1)
        );
      case 'count':
      case 'keep':
        return lengths[step.next]!;
      case 'return':
      case 'round':
      case 'accept':
        return 0;
    }
  }

  /** Bytes of the rounds that a loop still needs, and of what follows it. */
  function roundsLength(
    { min, body, exit }: { readonly min: number; readonly body: number; readonly exit: number },
    rounds: number,
  ): number {
    const missing = min - rounds;
    return (missing > 0 ? missing * lengths[body]! : 0) + lengths[exit]!;
  }

  function lengthOf({ place, frame }: Thread): number {
    const step = program.steps[place]!;
    if (step.op !== 'read') return lengths[place]! + restOf(frame);
    const text = step.reader.ending(frame!.reading!);
    return (text?.length ?? Infinity) + lengths[place]! + restOf(frame!.below);
  }

  /** Bytes from the end of the rule or round that is open to the end of the text. */
  function restOf(top: Frame | undefined): number {
    const open: Frame[] = [];
    for (let frame = top; frame && !rests.has(frame); frame = frame.below) open.push(frame);
    for (const frame of open.toReversed()) {
      const step = program.steps[frame.next]!;
      let rest = frame.below ? rests.get(frame.below)! : 0;
      rest += step.op === 'loop' ? roundsLength(step, roundsOf(frame) + 1) : lengths[frame.next]!;
      rests.set(frame, rest);
    }
    return top ? rests.get(top)! : 0;
  }
}
