import { espeakEnglishSymbols, toEspeakPhonemes } from '../../../../core/speech/espeak-phonemes.ts';
import { fieldError } from '../../../../errors.ts';
import { sourceError } from '../../../../folder/model-files.ts';
import { createEnglishPhonemizer, loadEspeak } from '../../pipeline/pronunciation.ts';
import { quote } from '../../../../core/text/quote.ts';
import { assertPhonemizer, espeakMissing, isEnglish, preparationOf } from '../../pipeline/readers.ts';
import type { PiperConfig } from './piper-config.ts';
import type { VitsVoice } from './vits-voice.ts';

export interface PiperReaderOptions {
  /** Name of the voice, for messages. */
  readonly name: string;
  /** Reader of English that the caller demands; default: eSpeak NG, which the voices learned from, where it is installed. */
  readonly phonemizer?: string | undefined;
  /** Whether the voice has a symbol. */
  knows(symbol: string): boolean;
}

/** Makes the reader of a voice of Piper: texts in the voice's own symbols. */
export async function createPiperReader(
  {
    phonemeType: type,
    espeakVoice: voice,
    language,
  }: Pick<PiperConfig, 'phonemeType' | 'espeakVoice' | 'language'>,
  { name, phonemizer, knows }: PiperReaderOptions,
): Promise<Pick<VitsVoice, 'prepare' | 'pronounce'>> {
  assertPhonemizer(phonemizer);
  const prepare = preparationOf(language);
  if (type === 'text') return { prepare, pronounce: (sentence) => sentence.normalize('NFD') };
  if (type !== 'espeak') {
    throw sourceError(`phoneme_type of ${name}: expected espeak or text, got ${quote(type)}`);
  }
  const english = isEnglish(language);
  const isCovered = Array.from(espeakEnglishSymbols).every(knows);
  if (english && phonemizer === 'built-in' && !isCovered) {
    throw fieldError('phonemizer', `built-in writes symbols that ${name} doesn't have, expected espeak`);
  }
  const espeak = english && phonemizer === 'built-in' ? undefined : await loadEspeak();
  if (espeak) {
    const transcribe = (text: string): string | undefined => espeak.transcribe(text, voice)?.normalize('NFD');
    if (transcribe('a') === undefined) {
      throw sourceError(`${name} speaks ${quote(voice)}, which eSpeak NG of piper-phonemize doesn't have`);
    }
    return { prepare, pronounce: (sentence) => transcribe(sentence) ?? '' };
  }
  if (phonemizer === 'espeak') throw espeakMissing();
  if (!english || !isCovered) {
    throw sourceError(
      `${name} speaks ${language}, which needs eSpeak NG; install it with \`npm install piper-phonemize\``,
    );
  }
  const { phonemize } = await createEnglishPhonemizer('en-US');
  return { prepare, pronounce: async (sentence) => toEspeakPhonemes(await phonemize(sentence)) };
}
