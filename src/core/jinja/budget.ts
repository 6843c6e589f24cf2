import { isArray, isDictionary, type Value } from './values.ts';

/** Enough for conversations of ten thousands of messages; a hostile template has it spent within seconds. */
const mostSteps = 10_000_000;
const longestText = 50_000_000;
const longestList = 1_000_000;

/** A template needs too much time. Another rendering would need as much. */
export class TooManySteps extends RangeError {}

/** Limits of one rendering: no template and no conversation keeps the machine for ever. */
export class Budget {
  /** Whether the template may change lists, which the reference forbids. */
  readonly mayChange: boolean;
  #steps = mostSteps;

  constructor({ mayChange = false }: { mayChange?: boolean } = {}) {
    this.mayChange = mayChange;
  }

  /** @throws TooManySteps if nothing is left */
  spend(steps: number): void {
    this.#steps -= steps;
    if (this.#steps < 0) throw new TooManySteps(`the template takes more than ${mostSteps} steps`);
  }

  /** Spends what making or reading a value costs. */
  spendOn(value: Value): void {
    this.spend(1 + sizeOf(value));
  }
}

function sizeOf(value: Value): number {
  if (typeof value === 'string') return value.length / 32;
  if (isArray(value)) return value.length;
  return isDictionary(value) ? value.size : 0;
}

/** @throws RangeError for a text that would be too long */
export function assertTextLength(length: number): void {
  if (length > longestText) throw new RangeError(`a text is longer than ${longestText} characters`);
}

/** @throws RangeError for a list that would be too long */
export function assertListLength(length: number): void {
  if (length > longestList) throw new RangeError(`a list is longer than ${longestList} items`);
}
