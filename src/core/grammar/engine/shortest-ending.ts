import type { State } from './automaton.ts';
import { roundsOf, type Frame, type Thread } from './threads.ts';
import { plainestOf } from '../languages/shortest.ts';
import type { Program, Step } from './program.ts';

/** Maximum length of an ending, in bytes. */
export const maxBytes = 8192;
/** Passes over a program; a step whose length is still unknown has no ending. */
const maxPasses = 32;

/**
 * Finds the shortest completions of a text: for every step, the number of bytes to the end of its rule or round; the
 * stack holds the open rules and rounds. Items that must differ are measured as if each could be the shortest.
 */
export class ShortestEndings {
  readonly #program: Program;
  /** Bytes from each step to the end of its rule, round or grammar. */
  readonly #lengths: Float64Array;
  readonly #rests = new WeakMap<Frame, number>();

  constructor(program: Program) {
    this.#program = program;
    this.#lengths = new Float64Array(program.steps.length).fill(Infinity);
  }

  /** Computes the lengths; required before any query. Yields after each pass. */
  *learn(): Generator<void, void> {
    const { partEnds } = this.#program;
    let changes = true;
    for (let pass = 0; changes && pass < maxPasses; pass++) {
      changes = false;
      // Most rules precede the rules they call, and most steps follow the steps they lead to.
      for (let part = partEnds.length - 1; part >= 0; part--) {
        const end = partEnds[part]!;
        for (let place = partEnds[part - 1] ?? 0; place < end; place++)
          changes = this.#shorten(place) || changes;
      }
      yield;
    }
  }

  /** Bytes of the shortest ending; Infinity if unknown. */
  lengthFrom(state: State): number {
    return state.mayEnd ? 0 : Math.min(...state.threads.map((thread) => this.#lengthOf(thread)));
  }

  /** Whether a `distinct` list may be open, which makes the length unknown. */
  isInList(state: State): boolean {
    return state.threads.some(({ frame }) => {
      for (let open = frame; open; open = open.below) if (open.items) return true;
      return false;
    });
  }

  /** The next bytes of the shortest ending; `undefined` if unknown. */
  bytesFrom(state: State): readonly number[] | undefined {
    const length = this.lengthFrom(state);
    if (length > maxBytes) return undefined;
    return state.threads
      .filter((thread) => this.#lengthOf(thread) === length)
      .map((thread) => this.#bytesOf(thread))
      .find((bytes) => bytes !== undefined && bytes.length > 0);
  }

  #bytesOf({ place, frame, low, high }: Thread): readonly number[] | undefined {
    const step = this.#program.steps[place]!;
    return step.op === 'read' ? step.reader.ending(frame!.reading!) : [plainestOf(low, high)];
  }

  /** @returns whether the length decreased */
  #shorten(place: number): boolean {
    const length = this.#lengthOfStep(this.#program.steps[place]!);
    if (length >= this.#lengths[place]!) return false;
    this.#lengths[place] = length;
    return true;
  }

  #lengthOfStep(step: Step): number {
    switch (step.op) {
      case 'byte':
        return 1 + this.#lengths[step.next]!;
      case 'split':
        return step.next.reduce((least, next) => Math.min(least, this.#lengths[next]!), Infinity);
      case 'call':
        return this.#lengths[this.#program.entries.get(step.rule)!]! + this.#lengths[step.next]!;
      case 'loop':
        return this.#roundsLength(step, 0);
      case 'begin':
        return (step.reader.ending(step.reader.start)?.length ?? Infinity) + this.#lengths[step.next]!;
      case 'read':
        return this.#lengths[step.exit]!;
      case 'distinct':
        return (
          this.#lengths[step.next]! +
          this.#roundsLength(this.#program.steps[step.loop] as Extract<Step, { op: 'loop' }>, 1)
        );
      case 'count':
      case 'keep':
        return this.#lengths[step.next]!;
      case 'return':
      case 'round':
      case 'accept':
        return 0;
    }
  }

  /** Bytes of a loop's required rounds and of its continuation. */
  #roundsLength(
    { min, body, exit }: { readonly min: number; readonly body: number; readonly exit: number },
    rounds: number,
  ): number {
    const missing = min - rounds;
    return (missing > 0 ? missing * this.#lengths[body]! : 0) + this.#lengths[exit]!;
  }

  #lengthOf({ place, frame }: Thread): number {
    const step = this.#program.steps[place]!;
    if (step.op !== 'read') return this.#lengths[place]! + this.#restOf(frame);
    const text = step.reader.ending(frame!.reading!);
    return (text?.length ?? Infinity) + this.#lengths[place]! + this.#restOf(frame!.below);
  }

  /** Bytes from the end of the open rule or round to the end of the text. */
  #restOf(top: Frame | undefined): number {
    const open: Frame[] = [];
    for (let frame = top; frame && !this.#rests.has(frame); frame = frame.below) open.push(frame);
    for (const frame of open.toReversed()) {
      const step = this.#program.steps[frame.next]!;
      let rest = frame.below ? this.#rests.get(frame.below)! : 0;
      rest += step.op === 'loop' ? this.#roundsLength(step, roundsOf(frame) + 1) : this.#lengths[frame.next]!;
      this.#rests.set(frame, rest);
    }
    return top ? this.#rests.get(top)! : 0;
  }
}
