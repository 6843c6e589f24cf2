import { quote } from '../../../core/text/quote.ts';
import { parseVoiceMix, type VoiceShare } from '../../../core/speech/voices.ts';
import { fieldError, fieldErrorOf } from '../../../errors.ts';
import { speechParameters } from '../parameters.ts';
import type { Synthesizer } from '../synthesizer.ts';

/** Finds the voices of a request. */
export function readVoice(
  voice: string,
  synthesizer: Pick<Synthesizer, 'voices' | 'mixesVoices' | 'explainVoice'>,
  aliases: ReadonlyMap<string, string>,
): readonly VoiceShare[] {
  const names = synthesizer.voices.map(({ id }) => id);
  const resolve = (name: string): string => {
    const resolved = aliases.get(name) ?? name;
    if (names.includes(resolved)) return resolved;
    const offered = names.join(', ');
    const reason = synthesizer.explainVoice?.(resolved);
    if (reason !== undefined) throw fieldError('voice', `${reason} one of ${offered}`);
    throw fieldError('voice', `expected one of ${offered}, got ${quote(name)}`);
  };
  const isMissingDefault = voice === speechParameters.voice.default && !names.includes(voice);
  const whole = isMissingDefault ? names[0] : names.find((name) => name === voice);
  if (whole !== undefined) return [{ voice: whole, weight: 1 }];
  const shares = readShares(voice);
  if (shares.length > 1 && !synthesizer.mixesVoices) {
    throw fieldError('voice', `the model mixes no voices, got ${quote(voice)}`, {
      code: 'unsupported_feature',
    });
  }
  return shares.map(({ voice: name, weight }) => ({ voice: resolve(name), weight }));
}

function readShares(voice: string): readonly VoiceShare[] {
  try {
    return parseVoiceMix(voice);
  } catch (error) {
    throw fieldErrorOf('voice', error);
  }
}
