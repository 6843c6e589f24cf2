import { never, type Expression } from '../languages/expression.ts';
import type { Language } from '../languages/language.ts';
import type { Notation, StringSet } from './notation.ts';
import type { Clause } from './clause.ts';
import { readCounts, typeBits } from './keywords.ts';
import type { TextLanguages } from './texts.ts';

interface StringConditions extends Pick<StringSet, 'min' | 'max' | 'path'> {
  readonly languages: readonly Language[];
}

export function stringOfClause(clause: Clause, texts: TextLanguages, notation: Notation): Expression {
  if (!(clause.types & typeBits.string)) return never;
  const { min, max, languages, path } = conditionsOf(clause, texts);
  if (min > max) return never;
  const language = languages.length === 0 ? undefined : texts.live(stringLanguage(clause, texts), path);
  return notation.string({ min, max, language, texts, path });
}

export function stringLanguage(clause: Clause, texts: TextLanguages): Language {
  const { store } = texts;
  if (!(clause.types & typeBits.string)) return store.never;
  const { min, max, languages, path } = conditionsOf(clause, texts);
  return texts.guarded(path, () => store.intersection(...languages, texts.lengths(min, max)));
}

function conditionsOf(clause: Clause, texts: TextLanguages): StringConditions {
  const { store } = texts;
  let path = '';
  const languages: Language[] = [];
  for (const atom of clause.atoms) {
    if (atom.kind === 'not-pattern') {
      path ||= atom.path;
      languages.push(store.complement(texts.pattern(atom.pattern, atom.path)));
    }
    if (atom.kind !== 'schema') continue;
    const { pattern, format } = atom.schema;
    if (pattern !== undefined) {
      path = `${atom.path}.pattern`;
      languages.push(texts.pattern(pattern, path));
    }
    const known = format === undefined ? undefined : texts.format(format, `${atom.path}.format`);
    if (known) {
      path ||= `${atom.path}.format`;
      languages.push(known);
    }
  }
  const excluded = clause.excluded.filter((value) => typeof value === 'string');
  if (excluded.length > 0) languages.push(store.complement(texts.listed(excluded, path)));
  const schemas = clause.atoms.filter((atom) => atom.kind === 'schema');
  return { ...readCounts(schemas, 'Length'), languages, path };
}
