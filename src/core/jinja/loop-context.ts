import { Instance, isEqual, type Callable, type Value } from './values.ts';

/** The variable `loop`. */
export class LoopContext extends Instance {
  /** The round, from 0. */
  index = 0;
  readonly #items: readonly Value[];
  readonly #depth: number;
  #last: readonly Value[] | undefined;

  /** @param recurse runs the loop once more with other items, where the template says that it may */
  constructor(items: readonly Value[], depth: number, recurse: Callable | undefined) {
    super('LoopContext', [], recurse);
    this.#items = items;
    this.#depth = depth;
  }

  override get(name: string): Value {
    const { length } = this.#items;
    const { index } = this;
    switch (name) {
      case 'index':
        return index + 1;
      case 'index0':
        return index;
      case 'revindex':
        return length - index;
      case 'revindex0':
        return length - index - 1;
      case 'first':
        return index === 0;
      case 'last':
        return index === length - 1;
      case 'length':
        return length;
      case 'depth':
        return this.#depth;
      case 'depth0':
        return this.#depth - 1;
      case 'previtem':
        return this.#items[index - 1];
      case 'nextitem':
        return this.#items[index + 1];
      case 'cycle':
        return (values) => values[index % values.length];
      case 'changed':
        return (values) => this.#hasChanged(values);
      default:
        return undefined;
    }
  }

  #hasChanged(values: readonly Value[]): boolean {
    const isSame = this.#last !== undefined && isEqual(values, this.#last);
    this.#last = values;
    return !isSame;
  }
}
