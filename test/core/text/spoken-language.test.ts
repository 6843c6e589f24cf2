import { expect, it } from 'vitest';
import { completeTranscriptionRequest } from '../../../src/categories/transcription/request.ts';
import { listLanguages, spokenLanguage } from '../../../src/core/text/spoken-language.ts';

it.each<[string | undefined, string | undefined]>([
  ['en', 'en'],
  ['EN', 'en'],
  ['en-US', 'en'],
  ['pt_BR', 'pt'],
  ['zh-TW', 'zh'],
  ['zh-Hant-HK', 'zh'],
  ['yue', 'yue'],
  ['haw', 'haw'],
  ['eng', 'en'],
  ['deu', 'de'],
  [' fr ', 'fr'],
  ['German', 'german'],
  ['haitian creole', 'haitian creole'],
  ['nope!', 'nope!'],
  ['auto', undefined],
  ['und', undefined],
  ['', undefined],
  [undefined, undefined],
])('%j is %j', (tag, language) => {
  expect(spokenLanguage(tag)).toBe(language);
});

it('lists a few languages, and the usual ones of many', () => {
  expect(listLanguages(['en'])).toBe('en');
  expect(listLanguages(['de', 'en'])).toBe('one of de, en');
  const many = ['de', 'en', ...Array.from({ length: 20 }, (_, at) => `x${at}`)];
  expect(listLanguages(many)).toBe("en, de, or another of the model's 22 languages (ISO 639-1)");
});

it('is what a request of transcription has', () => {
  const request = { model: 'ear', audio: Uint8Array.of(1) };
  expect(completeTranscriptionRequest({ ...request, language: 'en-US' }).language).toBe('en');
  expect(completeTranscriptionRequest({ ...request, language: 'auto' }).language).toBeUndefined();
});
