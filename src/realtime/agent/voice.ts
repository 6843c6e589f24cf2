import { z } from 'zod';
import { speechParameters } from '../../categories/speech/parameters.ts';
import { quote } from '../../core/text/quote.ts';
import { fieldError } from '../../errors.ts';
import type { SocketCall } from '../../contracts/endpoint.ts';
import type { AnyRequest } from '../../contracts/engine.ts';
import type { ModelInfo } from '../../contracts/model.ts';
import type { RunEvent } from '../../contracts/run.ts';
import { assertOptions } from '../../validation/assert-options.ts';
import { textSetting, type SettingTable } from '../../validation/setting-table.ts';

export interface VoiceInfo extends ModelInfo {
  readonly agent: VoiceModel;
}

/** The parts of a socket's call that a session needs, which it also has without a socket. */
export type VoiceCall = Omit<SocketCall<AnyRequest, RunEvent>, 'query' | 'headers' | 'signal' | 'turn'>;

/** The `category` of voice agents; no category of models has this name. */
export const voiceCategory = 'voice';

const eagernesses = ['low', 'medium', 'high'] as const;
const { min, max } = speechParameters.speed;

const settings = {
  category: z.literal(voiceCategory),
  hears: z.string().min(1).describe('Id of a transcription model.'),
  thinks: z.string().min(1).describe('Id of a chat model.'),
  speaks: z.string().min(1).describe('Id of a speech model.'),
  name: textSetting('Display name; default: the id.'),
  instructions: textSetting('The system message of every conversation.'),
  language: textSetting('ISO 639-1 of what is heard; default: found out.'),
  voice: textSetting('Voice of the speech model.'),
  eagerness: z
    .enum(eagernesses)
    .optional()
    .describe(
      'Work at a pause of the user, before the turn is known to be over: `low` none, `medium` transcribes, `high` also begins the answer, which is dropped if the user continues; default `high`.',
    ),
  speed: z.number().min(min).max(max).optional().describe('Playback speed; default 1.'),
} satisfies SettingTable;

/** A model of `createInference` that combines three models. */
export type VoiceModel = Readonly<z.infer<z.ZodObject<typeof settings>>>;

/** The models of an agent that hears, thinks and speaks, and the values that its sessions begin with. */
export type VoiceOptions = Omit<VoiceModel, 'category'>;

/** The parts of an agent: which setting names it, and its category. */
const voiceParts = { hears: 'transcription', thinks: 'chat', speaks: 'speech' } as const;

/**
 * Describes a voice agent, for `createInference`: a conversation by speech over three of its models, on `WS /v1/realtime` and
 * by `inference.talk`.
 *
 * @example
 * ```ts
 * createInference({
 *   models: {
 *     ears: transcription({ source: 'tiny-whisper' }),
 *     mind: chat({ source: 'tiny-chat' }),
 *     mouth: speech({ source: 'tiny-speech' }),
 *     agent: voice({ hears: 'ears', thinks: 'mind', speaks: 'mouth' }),
 *   },
 * });
 * ```
 */
export function voice(options: VoiceOptions): VoiceModel {
  return { ...options, category: voiceCategory };
}

export function isVoiceModel(model: unknown): model is VoiceModel {
  return (model as { readonly category?: unknown } | null | undefined)?.category === voiceCategory;
}

/**
 * @param categoryOf of a model of the same inference, `unknown` until it is loaded
 * @throws InferenceError `invalid_request` for an unknown setting, a wrong type, or a part that is no model of its category
 */
export function assertVoice(
  path: string,
  model: VoiceModel,
  categoryOf?: (id: string) => string | undefined,
): void {
  assertOptions('A voice agent', settings, model, { path });
  for (const [setting, category] of categoryOf ? Object.entries(voiceParts) : []) {
    const part = model[setting as keyof typeof voiceParts];
    const found = categoryOf!(part);
    if (found === category || found === 'unknown') continue;
    const what = found === undefined ? 'which is none of the models' : `a model for ${found}`;
    throw fieldError(`${path}.${setting}`, `expected a model for ${category}, got ${quote(part)}, ${what}`);
  }
}
