import { isArray, isDictionary, type Value } from './values.ts';

/** Enough for conversations of tens of thousands of messages; a hostile template exhausts it within seconds. */
const maxSteps = 10_000_000;
const maxTextLength = 50_000_000;
const maxListLength = 1_000_000;

/** A template takes too many steps. A retry would fail too. */
export class TooManySteps extends RangeError {}

/** Limits a rendering, so that no template and no conversation can run forever. */
export class Budget {
  /** Whether the template may modify lists, which the reference forbids. */
  readonly mayChange: boolean;
  #steps = maxSteps;

  constructor({ mayChange = false }: { mayChange?: boolean } = {}) {
    this.mayChange = mayChange;
  }

  /** @throws TooManySteps if the budget is exhausted */
  spend(steps: number): void {
    this.#steps -= steps;
    if (this.#steps < 0) throw new TooManySteps(`the template takes more than ${maxSteps} steps`);
  }

  /** Spends the cost of creating or reading a value. */
  spendOn(value: Value): void {
    if (typeof value === 'string') this.spend(1 + value.length / 32);
    else if (isArray(value)) this.spend(1 + value.length);
    else this.spend(1 + (isDictionary(value) ? value.size : 0));
  }
}

/** @throws RangeError for a text that would be too long */
export function assertTextLength(length: number): void {
  if (length > maxTextLength) throw new RangeError(`a text is longer than ${maxTextLength} characters`);
}

/** @throws RangeError for a list that would be too long */
export function assertListLength(length: number): void {
  if (length > maxListLength) throw new RangeError(`a list is longer than ${maxListLength} items`);
}
