import { getOrCreate } from '../../get-or-create.ts';
import {
  choice,
  empty,
  refer,
  repeat,
  rule,
  sequence,
  type Bounds,
  type Expression,
  type Rule,
} from '../languages/expression.ts';
import { listOf } from '../languages/json-text.ts';
import { constantItems } from './distinct.ts';
import type { SchemaParts } from './evaluate.ts';
import type { Literal } from './document.ts';
import { canonicalText, schemaFault } from './keywords.ts';
import type { Notation } from './notation.ts';

/** Matching items that an array must have. */
export interface Need {
  readonly literal: Literal;
  readonly from: number;
  readonly min: number;
  /** Further items must not match the literal. */
  readonly max: number;
}

/** The needs' counts after an item, and the literals that the item satisfies in this case. */
interface Outcome {
  readonly counts: readonly number[];
  readonly literals: readonly Literal[];
}

/** A position in a list: the number of items so far, the count of each need, and the used items. */
interface ListState {
  readonly count: number;
  readonly found: readonly number[];
  /** Sorted texts; empty if items may be equal. */
  readonly used: readonly string[];
}

/** Limit for the states of a list: its relevant length, and the count of each need. */
const maxStates = 4000;

/** Creates the expression of a value that satisfies all literals. */
export type ValueOf = (literals: readonly Literal[], path: string, notation: Notation) => Expression;

export interface ArraySetting extends SchemaParts {
  readonly notation: Notation;
  readonly valueOf: ValueOf;
}

/** A list of `min` to `max` items, the first `heads` of which have separate schemas. */
interface ListParts extends Bounds {
  readonly heads: number;
  readonly needs: readonly Need[];
  readonly path: string;
  readonly literalsAt: (index: number) => readonly Literal[];
  /** Items after the heads; `undefined` if items must differ. */
  readonly rest?: Expression;
  /** Path of the keyword that makes items unique. */
  readonly uniqueness?: string;
}

/** Lists whose items must be counted until all further items are equivalent: a rule per count and set of previous items. */
export class CountedList {
  readonly #parts: ListParts;
  readonly #setting: ArraySetting;
  readonly #rules = new Map<string, Rule>();
  readonly #waiting: (ListState & { readonly isFirst: boolean; readonly rule: Rule })[] = [];
  readonly #constants = new Map<string, readonly unknown[]>();
  #branchCount = 0;

  constructor(parts: ListParts, setting: ArraySetting) {
    this.#parts = parts;
    this.#setting = setting;
  }

  write(): Expression {
    const { min, max, needs, literalsAt } = this.#parts;
    const { comma } = this.#setting.notation;
    const start = this.#state({ count: 0, found: needs.map(() => 0), used: [] });
    for (let next = this.#waiting.pop(); next; next = this.#waiting.pop()) {
      const { isFirst, count, found, used, rule: state } = next;
      const branches: Expression[] = [];
      if (count >= min && needs.every((need, index) => found[index]! >= need.min)) branches.push(empty);
      if (count < max) {
        for (const { counts, literals } of this.#outcomes(found, count)) {
          for (const [item, after] of this.#itemsOf([...literalsAt(count), ...literals], used)) {
            const tail = this.#state({ count: count + 1, found: counts, used: after });
            branches.push(sequence(...(isFirst ? [] : [comma]), item, tail));
          }
        }
      }
      state.body = choice(...branches);
    }
    return start;
  }

  #state({ count, found, used }: ListState): Expression {
    const { min, max, heads, needs, path, rest } = this.#parts;
    const { comma } = this.#setting.notation;
    const isDone = needs.every((need, index) => need.max === Infinity && found[index]! >= need.min);
    if (rest && isDone && count >= heads) {
      const more = { min: Math.max(0, min - count), max: max - count };
      return count === 0 ? listOf(rest, more, comma) : repeat(sequence(comma, rest), more);
    }
    const lastCount = Math.max(min, heads, max === Infinity ? 0 : max, ...needs.map(({ from }) => from));
    const known = max === Infinity ? Math.min(count, lastCount) : count;
    const key = `${known},${found.join()},${count === 0},${used.join()}`;
    const state = getOrCreate(this.#rules, key, () => {
      if (this.#rules.size >= maxStates) throw schemaFault(path, 'expected fewer items to count');
      const own = rule(`items ${key}`);
      this.#waiting.push({ isFirst: count === 0, count: known, found, used, rule: own });
      return own;
    });
    return refer(state);
  }

  #itemsOf(literals: readonly Literal[], used: readonly string[]): [Expression, string[]][] {
    const { path, uniqueness } = this.#parts;
    const notation = this.#setting.notation.ofItem();
    if (uniqueness === undefined) return [[this.#setting.valueOf(literals, path, notation), []]];
    const known = literals.map(({ id }) => id).join();
    const constants = getOrCreate(this.#constants, known, () => {
      const values = constantItems(literals, path, this.#setting);
      if (values) return values;
      throw schemaFault(uniqueness, 'expected constants as items beside `contains` or `prefixItems`');
    });
    const unused = new Map(constants.map((value) => [canonicalText(value), value]));
    for (const text of used) unused.delete(text);
    this.#branchCount += unused.size;
    if (this.#branchCount > maxStates) throw schemaFault(uniqueness, 'expected fewer constants as items');
    return [...unused].map(([text, value]) => [notation.constants([value]), [...used, text].sort()]);
  }

  /** Outcomes of the next item: whether it matches only matters while it is counted. */
  #outcomes(found: readonly number[], count: number): readonly Outcome[] {
    const { document } = this.#setting;
    return this.#parts.needs.reduce<Outcome[]>(
      (ways, { literal, from, min, max }, index) => {
        const done = found[index]!;
        const isCounted = count >= from && (max < Infinity || done < min);
        const other = (): Literal =>
          document.literal(literal.schema, literal.path, { negated: !literal.negated });
        return ways.flatMap(({ counts, literals }) => {
          const skip = {
            counts: [...counts, done],
            literals: isCounted && max < Infinity ? [...literals, other()] : literals,
          };
          const take = { counts: [...counts, done + 1], literals: [...literals, literal] };
          return isCounted && done < max ? [skip, take] : [skip];
        });
      },
      [{ counts: [], literals: [] }],
    );
  }
}
