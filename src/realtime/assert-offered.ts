import type { SpeechModelInfo } from '../categories/speech/events.ts';
import { speechParameters } from '../categories/speech/parameters.ts';
import type { TranscriptionModelInfo } from '../categories/transcription/events.ts';
import type { ModelInfo } from '../contracts/model.ts';
import { toIsoLanguage, toVocabularyLanguage } from '../core/audio/whisper/languages.ts';
import { parseVoiceMix, aliasVoices } from '../core/speech/voices.ts';
import { quote } from '../core/text/quote.ts';
import { listLanguages, spokenLanguage } from '../core/text/spoken-language.ts';
import { fieldError, inField, unsupportedError } from '../errors.ts';
import type { Configuration } from './listening.ts';

const field = 'session.audio.input.transcription';

/** @throws InferenceError for a language or a prompt that would make every transcription of a loaded model fail */
export function assertHearable({ language, prompt, keywords }: Configuration, model: ModelInfo): void {
  const { languages, takesPrompt } = model as TranscriptionModelInfo;
  const asked = spokenLanguage(language ?? undefined);
  if (asked !== undefined && languages?.length === 0)
    throw unsupportedError(`${field}.language`, `the model takes no language, got ${quote(asked)}`);
  const code = asked === undefined ? undefined : toVocabularyLanguage(asked);
  if (asked !== undefined && languages && !languages.includes(code ? toIsoLanguage(code) : asked))
    throw fieldError(`${field}.language`, `expected ${listLanguages(languages)}, got ${quote(asked)}`);
  if (takesPrompt !== false) return;
  if (keywords?.length) throw unsupportedError(`${field}.keywords`, 'the model reads no prompt');
  if (prompt) throw unsupportedError(`${field}.prompt`, 'the model reads no prompt');
}

/** @throws InferenceError for a voice that a loaded model doesn't have */
export function assertVoiceOf(model: ModelInfo, path: string, voice: string | undefined): void {
  const { voices, voiceAliases } = model as SpeechModelInfo;
  if (voice === undefined || !voices) return;
  const names = voices.map(({ id }) => id);
  if (names.includes(voice) || voice === speechParameters.voice.default) return;
  const aliases = aliasVoices(voiceAliases === false ? [] : names);
  for (const { voice: name } of inField(path, () => parseVoiceMix(voice)))
    if (!names.includes(name) && !aliases.has(name))
      throw fieldError(path, `expected one of ${names.join(', ')}, got ${quote(name)}`);
}
