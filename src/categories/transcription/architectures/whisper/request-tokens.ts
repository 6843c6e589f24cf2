import { toIsoLanguage, toVocabularyLanguage } from '../../../../core/audio/whisper/languages.ts';
import { listLanguages } from '../../../../core/text/spoken-language.ts';
import { fieldError } from '../../../../errors.ts';
import type { TranscriptionTask } from '../../request.ts';
import type { WhisperFolder } from './whisper-folder.ts';
import { quote } from '../../../../core/text/quote.ts';

/** Upper bound: text further from the end of a prompt would be dropped anyway. */
const charactersPerToken = 32;

/** Supported languages, ISO 639-1. */
export function languagesOf({ vocabulary, onlyLanguage }: WhisperFolder): string[] {
  if (vocabulary.languages.size > 0) return [...vocabulary.languages.keys()].map(toIsoLanguage).sort();
  return onlyLanguage === undefined ? [] : [toIsoLanguage(onlyLanguage)];
}

export function readLanguage(language: string | undefined, folder: WhisperFolder): string | undefined {
  const { languages } = folder.vocabulary;
  if (language === undefined) return languages.size === 1 ? [...languages.keys()][0] : folder.onlyLanguage;
  const code = toVocabularyLanguage(language);
  if (code !== undefined && (languages.has(code) || folder.onlyLanguage === code)) return code;
  throw fieldError('language', `expected ${listLanguages(languagesOf(folder))}, got ${quote(language)}`);
}

export function readPrompt(prompt: string | undefined, folder: WhisperFolder): number[] {
  const text = prompt?.trim() ?? '';
  if (text === '') return [];
  const readable = text.slice(-folder.contextLength * charactersPerToken);
  return folder.textTokenizer.encode(` ${readable}`).filter((token) => token < folder.vocabulary.endOfText);
}

export interface StartOptions {
  readonly language: string | undefined;
  readonly task: TranscriptionTask;
}

/** `<|startoftranscript|>`, language and task. */
export function startTokens({ language, task }: StartOptions, { vocabulary }: WhisperFolder): number[] {
  const { startOfTranscript, languages, [task]: taskToken } = vocabulary;
  const token = language === undefined ? undefined : languages.get(language);
  return [startOfTranscript, token, taskToken].filter((id) => id !== undefined);
}
