import {
  allCharacters,
  type DecimalMultiple,
  type Language,
  type LanguageStore,
  type Transition,
} from './language.ts';

/**
 * Transitions for all characters, as ascending disjoint ranges: the derivatives of a language. Characters outside them
 * are dead ends.
 */
export function transitionsOf(language: Language, store: LanguageStore): readonly Transition[] {
  if (!language.transitions) {
    language.transitions = store.nested(() => derive(language, store));
    store.bytes += bytesOfTransition * language.transitions.length;
  }
  return language.transitions;
}

const bytesOfTransition = 80;

function derive(language: Language, store: LanguageStore): readonly Transition[] {
  store.spend(1);
  switch (language.kind) {
    case 'characters':
      return language.set.map(([from, to]) => ({ from, to, target: store.empty }));
    case 'empty':
      return [];
    case 'concatenation': {
      const { first, rest } = language;
      const own = followed(transitionsOf(first, store), rest, store);
      return first.nullable ? merged([own, transitionsOf(rest, store)], store) : own;
    }
    case 'union':
      return merged(
        language.items.map((item) => transitionsOf(item, store)),
        store,
      );
    case 'intersection':
      return language.items
        .map((item) => transitionsOf(item, store))
        .reduce((left, right) => shared(left, right, store));
    case 'complement':
      return complemented(transitionsOf(language.item, store), store);
    case 'repetition': {
      const { item, min, max } = language;
      const rest = store.repetition(item, { min: Math.max(0, min - 1), max: max - 1 });
      return followed(transitionsOf(item, store), rest, store);
    }
    case 'multiple':
      return digitsOf(language.number, store);
  }
}

function followed(transitions: readonly Transition[], rest: Language, store: LanguageStore): Transition[] {
  store.spend(transitions.length);
  return transitions.map(({ from, to, target }) => ({ from, to, target: store.concatenation(target, rest) }));
}

/** Sweeps over the ranges of all tables; in an overlap, the targets form a union. */
function merged(tables: readonly (readonly Transition[])[], store: LanguageStore): readonly Transition[] {
  const filled = tables.filter((table) => table.length > 0);
  if (filled.length < 2) return filled[0] ?? [];
  const starts = filled.flat().sort((a, b) => a.from - b.from);
  const ends = starts.toSorted((a, b) => a.to - b.to);
  store.spend(starts.length);
  const result: Transition[] = [];
  const active = new Map<Language, number>();
  let from = 0;
  let ended = 0;
  for (let started = 0; ended < ends.length;) {
    const start = starts[started];
    const end = ends[ended]!;
    const border = start && start.from <= end.to ? start.from : end.to + 1;
    if (active.size > 0 && border > from) push(result, from, border - 1, [...active.keys()], store);
    from = border;
    if (start && start.from === border) {
      active.set(start.target, (active.get(start.target) ?? 0) + 1);
      started++;
    } else {
      const uses = active.get(end.target)! - 1;
      if (uses === 0) active.delete(end.target);
      else active.set(end.target, uses);
      ended++;
    }
  }
  return result;
}

function push(
  result: Transition[],
  from: number,
  to: number,
  targets: readonly Language[],
  store: LanguageStore,
): void {
  const target = targets.length === 1 ? targets[0]! : store.union(...targets);
  const last = result.at(-1);
  if (last && last.target === target && last.to === from - 1) result[result.length - 1] = { ...last, to };
  else result.push({ from, to, target });
}

function shared(
  left: readonly Transition[],
  right: readonly Transition[],
  store: LanguageStore,
): readonly Transition[] {
  const result: Transition[] = [];
  for (let a = 0, b = 0; a < left.length && b < right.length;) {
    store.spend(1);
    const from = Math.max(left[a]!.from, right[b]!.from);
    const to = Math.min(left[a]!.to, right[b]!.to);
    if (from <= to) {
      const target = store.intersection(left[a]!.target, right[b]!.target);
      if (target !== store.never) result.push({ from, to, target });
    }
    if (left[a]!.to < right[b]!.to) a++;
    else b++;
  }
  return result;
}

function complemented(transitions: readonly Transition[], store: LanguageStore): readonly Transition[] {
  const result: Transition[] = [];
  const fill = (start: number, end: number): void => {
    for (const [low, high] of allCharacters) {
      const from = Math.max(low, start);
      const to = Math.min(high, end);
      if (from <= to) result.push({ from, to, target: store.all });
    }
  };
  let next = 0;
  for (const { from, to, target } of transitions) {
    fill(next, from - 1);
    const rest = store.complement(target);
    if (rest !== store.never) result.push({ from, to, target: rest });
    next = to + 1;
  }
  fill(next, 0x10ffff);
  return result;
}

/** Digits shift the remainder; after the last decimal of the step only zeros may follow. */
function digitsOf(number: DecimalMultiple, store: LanguageStore): Transition[] {
  const { step, decimals, fraction, remainder } = number;
  const result: Transition[] = [];
  if (fraction < 0) {
    result.push({ from: 0x2d, to: 0x2d, target: store.multiple(number) });
    result.push({ from: 0x2e, to: 0x2e, target: store.multiple({ ...number, fraction: 0 }) });
  }
  for (let digit = 0; digit < 10; digit++) {
    const place = { from: 0x30 + digit, to: 0x30 + digit };
    if (fraction < decimals) {
      const next = {
        ...number,
        fraction: fraction < 0 ? fraction : fraction + 1,
        remainder: (remainder * 10 + digit) % step,
      };
      result.push({ ...place, target: store.multiple(next) });
    } else if (digit === 0) {
      result.push({ ...place, target: store.multiple(number) });
    } else if (fraction === decimals) {
      // A further decimal can never become a multiple, whatever digits follow.
      result.push({ ...place, target: store.never });
    }
  }
  return result.filter(({ target }) => target !== store.never);
}
