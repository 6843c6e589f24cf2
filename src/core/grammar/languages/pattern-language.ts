import { allCharacters, type Language, type LanguageStore } from './language.ts';
import type { Bounds, Expression } from './expression.ts';
import type { Pattern } from './regular-expression.ts';

/**
 * Texts that an expression matches, by anchors: without any, with `^` before the first character, with `$` after the
 * last, with both.
 */
interface Anchored {
  readonly free: Language;
  readonly start: Language;
  readonly end: Language;
  readonly both: Language;
}

/** The texts in which a pattern occurs, as languages without anchors. */
export function patternLanguage(pattern: Pattern, store: LanguageStore): Language {
  const joint: Pattern[] = [];
  const looking: (readonly Pattern[])[] = [];
  for (const way of waysOf(pattern)) {
    if (way.some(({ type }) => type === 'look-ahead')) looking.push(way);
    // Branches without lookaheads are merged into one, which keeps long lists small.
    else joint.push({ type: 'sequence', items: way });
  }
  return store.union(
    ...[[{ type: 'choice', items: joint } as const], ...looking].flatMap((items) => [
      store.concatenation(store.all, rest(items, false, store)),
      rest(items, true, store),
    ]),
  );
}

/** Converts an expression of texts, characters, sequences, choices, repetitions and non-recursive rules to a language. */
export function languageOf(expression: Expression, store: LanguageStore): Language {
  return anchored(expression, store).free;
}

const maxWays = 64;

/** Splits a pattern into alternatives, in which lookaheads are at the top level. */
function waysOf(pattern: Pattern): readonly (readonly Pattern[])[] {
  if (pattern.type !== 'choice' && !looksAhead(pattern)) return [[pattern]];
  switch (pattern.type) {
    case 'choice':
      return pattern.items.flatMap(waysOf);
    case 'repeat': {
      if (pattern.min > 0 || pattern.max !== 1) break;
      return [[], ...waysOf(pattern.item)];
    }
    case 'sequence':
      return pattern.items.reduce<readonly (readonly Pattern[])[]>(
        (ways, item) => {
          if (!looksAhead(item)) return ways.map((way) => way.concat(item));
          const more = waysOf(item);
          if (ways.length * more.length > maxWays) throw new RangeError('expected fewer ways to look around');
          return ways.flatMap((way) => more.map((own) => way.concat(own)));
        },
        [[]],
      );
  }
  return [[pattern]];
}

function looksAhead(pattern: Pattern): boolean {
  if ('items' in pattern) return pattern.items.some(looksAhead);
  return pattern.type === 'look-ahead' || (pattern.type === 'repeat' && looksAhead(pattern.item));
}

/** The language of the remaining text, if it starts with a match of the items. */
function rest(items: readonly Pattern[], isAtStart: boolean, store: LanguageStore): Language {
  const index = items.findIndex(({ type }) => type === 'look-ahead');
  if (index < 0) return toEnd(sequenceOf(items, store), isAtStart, store);
  const { item, isNegative } = items[index] as Extract<Pattern, { type: 'look-ahead' }>;
  const after = (atStart: boolean): Language => {
    const ahead = toEnd(anchored(item, store), atStart, store);
    const tail = rest(items.slice(index + 1), atStart, store);
    return store.intersection(tail, isNegative ? store.complement(ahead) : ahead);
  };
  const head = sequenceOf(items.slice(0, index), store);
  const before = isAtStart ? store.union(head.free, head.start) : head.free;
  const inside = after(false);
  if (!isAtStart) return store.concatenation(before, inside);
  const something = store.concatenation(store.characters(allCharacters), store.all);
  const further = before === store.empty ? store.never : store.intersection(before, something);
  return store.union(store.concatenation(further, inside), before.nullable ? after(true) : store.never);
}

function toEnd({ free, start, end, both }: Anchored, isAtStart: boolean, store: LanguageStore): Language {
  const open = isAtStart ? store.union(free, start) : free;
  const closed = isAtStart ? store.union(end, both) : end;
  return store.union(store.concatenation(open, store.all), closed);
}

function anchored(pattern: Pattern, store: LanguageStore): Anchored {
  const { never, empty } = store;
  const nothing = { free: never, start: never, end: never, both: never };
  switch (pattern.type) {
    case 'texts':
      return { ...nothing, free: store.union(...pattern.texts.map((text) => store.text(text))) };
    case 'character':
      return { ...nothing, free: store.characters(pattern.ranges) };
    case 'rule':
      return anchored(pattern.rule.body, store);
    case 'start':
      return { ...nothing, start: empty };
    case 'end':
      return { ...nothing, end: empty };
    case 'sequence':
      return sequenceOf(pattern.items, store);
    case 'choice': {
      const items = pattern.items.map((item) => anchored(item, store));
      const any = (kind: keyof Anchored): Language => store.union(...items.map((item) => item[kind]));
      return { free: any('free'), start: any('start'), end: any('end'), both: any('both') };
    }
    case 'repeat':
      return repeated(anchored(pattern.item, store), pattern, store);
    case 'look-ahead':
      throw new RangeError('expected no look-around in a group that repeats or that looks around itself');
    default:
      throw new TypeError(`expression: expected no ${pattern.type}`);
  }
}

function sequenceOf(items: readonly Pattern[], store: LanguageStore): Anchored {
  const { never, empty } = store;
  const nothing = { free: empty, start: never, end: never, both: never };
  return items
    .map((item) => anchored(item, store))
    .reduceRight<Anchored>((tail, head) => joined(head, tail, store), nothing);
}

/** `^` may come second if nothing has been read before, and `$` first if nothing follows. */
function joined(a: Anchored, b: Anchored, store: LanguageStore): Anchored {
  const { never } = store;
  const then = (left: Language, right: Language): Language => store.concatenation(left, right);
  const isFirst = a.free.nullable || a.start.nullable;
  const isLast = b.free.nullable || b.end.nullable;
  const isEmptyStart = b.start.nullable || b.both.nullable;
  return {
    free: then(a.free, b.free),
    start: store.union(then(a.start, b.free), isFirst ? b.start : never),
    end: store.union(then(a.free, b.end), isLast ? a.end : never),
    both: store.union(
      then(a.start, b.end),
      isFirst ? b.both : never,
      isLast ? a.both : never,
      // `$^`: only the empty text.
      isEmptyStart && (a.end.nullable || a.both.nullable) ? store.empty : never,
    ),
  };
}

function repeated(
  { free, start, end, both }: Anchored,
  { min, max }: Bounds,
  store: LanguageStore,
): Anchored {
  const { never, empty } = store;
  const plain = store.repetition(free, { min, max });
  if (start === never && end === never && both === never) return { free: plain, start, end, both };
  if (max === 0) return { free: empty, start: never, end: never, both: never };
  const others = store.repetition(free, { min: Math.max(0, min - 1), max: max - 1 });
  const inner = store.repetition(free, { min: Math.max(0, min - 2), max: Math.max(0, max - 2) });
  return {
    free: plain,
    start: store.concatenation(start, others),
    end: store.concatenation(others, end),
    both: store.union(min <= 1 ? both : never, max >= 2 ? store.sequence(start, inner, end) : never),
  };
}
