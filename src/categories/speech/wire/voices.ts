import { z } from 'zod';
import { speechParameters } from '../parameters.ts';
import { aliasVoices } from '../../../core/speech/voices.ts';
import type { ModelInfo } from '../../../contracts/model.ts';
import type { SpeechModelInfo } from '../events.ts';

export const voiceListSchema = z.object({
  object: z.literal('list'),
  voices: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      language: z.string().meta({ description: 'BCP 47, such as `en-US`.' }),
      model: z.string(),
    }),
  ),
  aliases: z
    .array(z.object({ id: z.string(), voice: z.string(), model: z.string() }))
    .meta({ description: 'Voice names built into clients, and the voices used for them.' }),
});

/** The answer of `GET /audio/voices`. */
export type VoiceList = z.infer<typeof voiceListSchema>;

/**
 * The voices of all the given models.
 *
 * @example
 * ```ts
 * toVoiceList(inference.models()).object; // 'list'
 * ```
 */
export function toVoiceList(models: readonly ModelInfo[]): VoiceList {
  const voices = models.flatMap((model) =>
    voicesOf(model).map(({ id, name, language }) => ({ id, name, language, model: model.id })),
  );
  const aliases = models.flatMap((model) => {
    const isOff = (model as SpeechModelInfo).voiceAliases === false;
    const ids = isOff ? [] : voicesOf(model).map(({ id }) => id);
    return Array.from(aliasVoices(ids), ([id, voice]) => ({ id, voice, model: model.id }));
  });
  return { object: 'list', voices, aliases };
}

/** The model's setting, else `af_heart` if the model has it, else its first voice. */
export function defaultVoice(model: ModelInfo): string {
  const chosen = model.defaults?.['voice'];
  if (typeof chosen === 'string') return chosen;
  const voices = voicesOf(model);
  const fallback = speechParameters.voice.default;
  return voices.some(({ id }) => id === fallback) ? fallback : (voices[0]?.id ?? fallback);
}

function voicesOf(model: ModelInfo): NonNullable<SpeechModelInfo['voices']> {
  return ('voices' in model && (model as SpeechModelInfo).voices) || [];
}
