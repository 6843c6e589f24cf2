import { z } from 'zod';
import { speechParameters } from '../parameters.ts';
import type { ModelInfo } from '../../contract.ts';
import type { SpeechModelInfo } from '../events.ts';

/** The answer of `GET /audio/voices`. */
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
  return { object: 'list', voices };
}

/** Who speaks where a request names nobody: a model's first voice if it doesn't have the usual one. */
export function defaultVoice(model: ModelInfo): string {
  const voices = voicesOf(model);
  const usual = speechParameters.voice.default;
  return voices.some(({ id }) => id === usual) ? usual : (voices[0]?.id ?? usual);
}

function voicesOf(model: ModelInfo): NonNullable<SpeechModelInfo['voices']> {
  return ('voices' in model && (model as SpeechModelInfo).voices) || [];
}
