import { writeExact } from '../../text/exact-json.ts';
import type { Expression } from '../languages/expression.ts';
import { languageOf } from '../languages/pattern-language.ts';
import type { Language } from '../languages/language.ts';
import { countTexts } from '../languages/live.ts';
import { wordsOf, type Clause } from './clause.ts';
import type { Literal } from './document.ts';
import type { Evaluator, SchemaParts } from './evaluate.ts';
import { numberBits, typeBits } from './keywords.ts';
import { numberOf } from './number.ts';
import { stringLanguage } from './string.ts';
import type { TextLanguages } from './texts.ts';

const maxItems = 1000;
/** One canonical spelling per number: more digits could denote the same double. */
const spellings = { integer: '^(0|-?[1-9]\\d{0,19})$', number: '^-?(0|[1-9]\\d{0,14})(\\.\\d*[1-9])?$' };
const maxNumberLength = 21;

/** Items that must differ, and the number of different items. */
export interface DistinctItems {
  readonly item: Extract<Expression, { type: 'mark' }>;
  readonly count: number;
}

/** The values of a clause, if few: constants, true, false and null. */
function constantsOf(clause: Clause, evaluator: Evaluator): readonly unknown[] | undefined {
  const isOfWords = (clause.types & ~(typeBits.null | typeBits.boolean)) === 0;
  return (
    clause.values?.filter((value) => evaluator.fits(value, clause)) ??
    (isOfWords ? wordsOf(clause) : undefined)
  );
}

/** All values that satisfy the literals; `undefined` if they aren't limited to constants. */
export function constantItems(
  literals: readonly Literal[],
  path: string,
  { clauses, evaluator }: SchemaParts,
): readonly unknown[] | undefined {
  const values = clauses.read(literals, path).map((clause) => constantsOf(clause, evaluator));
  return values.some((one) => one === undefined) ? undefined : values.flatMap((one) => one!);
}

/** Items that must differ, as texts of one language in which equal values have equal texts. */
export function distinctItems(
  literals: readonly Literal[],
  path: string,
  { clauses, texts, evaluator }: SchemaParts,
): DistinctItems | undefined {
  const { store } = texts;
  const alternatives = clauses.read(literals, path);
  const areStrings = alternatives.every(({ types, values }) => types === typeBits.string && !values);
  const plain = (clause: Clause): Language | undefined => {
    const values = constantsOf(clause, evaluator);
    if (values)
      return texts.listed(
        values.map((value) => writeExact(value)),
        path,
      );
    return clause.types & ~numberBits ? undefined : plainNumbers(clause, path, texts);
  };
  const languages = alternatives.map((clause) =>
    areStrings ? stringLanguage(clause, texts) : plain(clause),
  );
  if (languages.includes(undefined)) return undefined;
  const language = texts.guarded(path, () => store.union(...languages.filter((one) => one !== undefined)));
  const live = texts.live(language, path);
  const count = texts.guarded(path, () => countTexts(live, store, maxItems));
  return {
    item: {
      type: 'mark',
      of: { type: 'language', language: live, store, writing: areStrings ? 'json-string' : 'plain' },
    },
    count,
  };
}

/** Numbers in canonical spelling only. */
function plainNumbers(clause: Clause, path: string, texts: TextLanguages): Language {
  const { store } = texts;
  const expression = numberOf(clause, texts);
  const isInteger = (clause.types & numberBits) === typeBits.integer;
  const spelling = texts.pattern(isInteger ? spellings.integer : spellings.number, path);
  return texts.guarded(path, () =>
    store.intersection(
      expression.type === 'language' ? expression.language : languageOf(expression, store),
      spelling,
      store.complement(store.text('-0')),
      texts.lengths(1, isInteger ? maxNumberLength : maxNumberLength - 1),
    ),
  );
}
