import { describe, expect, it } from 'vitest';
import {
  hasSpaces,
  languageName,
  toIsoLanguage,
  toVocabularyLanguage,
  vocabularyLanguages,
} from '../../../../src/core/audio/whisper/languages.ts';

describe('languages', () => {
  it('are the hundred of the third large model', () => {
    expect(vocabularyLanguages).toHaveLength(100);
    expect(new Set(vocabularyLanguages).size).toBe(100);
  });

  it.each([
    ['en', 'en'],
    ['EN', 'en'],
    ['jv', 'jw'],
    ['jw', 'jw'],
    ['nb', 'no'],
    ['yue', 'yue'],
    ['German', 'de'],
    ['haitian creole', 'ht'],
    ['xx', undefined],
    ['', undefined],
    ['constructor', undefined],
  ])('%j is %j in a vocabulary', (language, code) => expect(toVocabularyLanguage(language)).toBe(code));

  it('come back as ISO 639', () => {
    for (const code of vocabularyLanguages) expect(toVocabularyLanguage(toIsoLanguage(code))).toBe(code);
    expect(toIsoLanguage('jw')).toBe('jv');
  });

  it.each([
    ['de', 'german'],
    ['jv', 'javanese'],
    ['zz', undefined],
  ])('%j is called %j', (language, name) => expect(languageName(language)).toBe(name));

  it('know about spaces', () => {
    expect([undefined, 'en', 'ja', 'yue'].map(hasSpaces)).toEqual([true, true, false, false]);
  });
});
