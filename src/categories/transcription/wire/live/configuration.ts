import type { PcmEncoding } from '../../../../core/audio/containers/pcm-samples.ts';
import { resolveParameters, type ParameterValues } from '../../../../core/parameters/descriptor.ts';
import { parameterReader } from '../../../../validation/parameter-schema.ts';
import { turnParameters } from './parameters.ts';
import { defaultRateHz, type AudioFormat, type OlderSessionFields, type SessionFields } from './schema.ts';

/** The wishes of a client for the utterances that it is about to speak. */
export interface Configuration {
  readonly format: AudioFormat;
  readonly model: string;
  readonly language: string | undefined;
  readonly prompt: string | undefined;
  /** `undefined` where the client alone commits. */
  readonly turns: ParameterValues<typeof turnParameters> | undefined;
}

/** The fields of an update, whichever form it has. */
export interface ConfigurationUpdate {
  readonly format: AudioFormat | undefined;
  readonly transcription: InputFields['transcription'];
  readonly turnDetection: InputFields['turn_detection'];
}

type InputFields = NonNullable<NonNullable<SessionFields['audio']>['input']>;

const g711RateHz = 8000;
const readTurns = parameterReader(turnParameters);

/** The configuration of a session that has just begun. */
export function defaultConfiguration(model: string): Configuration {
  return {
    format: { type: 'audio/pcm' },
    model,
    language: undefined,
    prompt: undefined,
    turns: resolveParameters(turnParameters, {}),
  };
}

/** Fields that an update leaves out stay; `null` takes the default back. */
export function updateConfiguration(
  before: Configuration,
  { format = before.format, transcription, turnDetection }: ConfigurationUpdate,
  model: string,
): Configuration {
  return {
    format,
    ...readModel(transcription === null ? defaultConfiguration(model) : before, transcription ?? {}),
    turns: turnDetection === undefined ? before.turns : readTurnDetection(turnDetection),
  };
}

/** `null` is the value of a field that is taken back. */
export function readModel(
  before: Configuration,
  { model = before.model, language, prompt }: NonNullable<InputFields['transcription']>,
): Pick<Configuration, 'model' | 'language' | 'prompt'> {
  return {
    model,
    language: (language === undefined ? before.language : language) ?? undefined,
    prompt: (prompt === undefined ? before.prompt : prompt) ?? undefined,
  };
}

function readTurnDetection(given: NonNullable<InputFields['turn_detection']> | null): Configuration['turns'] {
  return given === null ? undefined : resolveParameters(turnParameters, readTurns(given));
}

/** The fields of `session.update`. */
export function readSession({ audio }: SessionFields): ConfigurationUpdate {
  const { format, transcription, turn_detection: turnDetection } = audio?.input ?? {};
  return { format, transcription, turnDetection };
}

const olderFormats = {
  pcm16: { type: 'audio/pcm' },
  g711_ulaw: { type: 'audio/pcmu' },
  g711_alaw: { type: 'audio/pcma' },
} as const satisfies Record<string, AudioFormat>;

/** The fields of `transcription_session.update`. */
export function readOlderSession(fields: OlderSessionFields): ConfigurationUpdate {
  const { input_audio_format: format, input_audio_transcription: transcription } = fields;
  return { format: format && olderFormats[format], transcription, turnDetection: fields.turn_detection };
}

export function toFormat(format: AudioFormat): AudioFormat {
  return format.type === 'audio/pcm' ? { ...format, rate: sampleRateOf(format) } : format;
}

/** The session that a configuration is, as `session.updated` says it. */
export function toSession(configuration: Configuration) {
  return {
    type: 'transcription' as const,
    audio: {
      input: {
        format: toFormat(configuration.format),
        transcription: toModel(configuration),
        noise_reduction: null,
        turn_detection: toTurnDetection(configuration),
      },
    },
    include: null,
  };
}

/** The session that a configuration is, as `transcription_session.updated` says it. */
export function toOlderSession(configuration: Configuration) {
  const { type } = configuration.format;
  const [name] = Object.entries(olderFormats).find(([, format]) => format.type === type)!;
  return {
    input_audio_format: name,
    input_audio_transcription: toModel(configuration),
    input_audio_noise_reduction: null,
    turn_detection: toTurnDetection(configuration),
    include: null,
  };
}

function toModel({ model, language, prompt }: Configuration) {
  return { model, language: language ?? null, prompt: prompt ?? null };
}

/** As sessions say it. */
export function toTurnDetection({ turns }: Pick<Configuration, 'turns'>) {
  if (!turns) return null;
  const { threshold, prefixPaddingMs, silenceDurationMs } = turns;
  return {
    type: 'server_vad',
    threshold,
    prefix_padding_ms: prefixPaddingMs,
    silence_duration_ms: silenceDurationMs,
  };
}

const encodings: Readonly<Record<AudioFormat['type'], PcmEncoding>> = {
  'audio/pcm': 's16',
  'audio/pcmu': 'mu-law',
  'audio/pcma': 'a-law',
};

export function encodingOf({ type }: AudioFormat): PcmEncoding {
  return encodings[type];
}

/** In Hz. */
export function sampleRateOf(format: AudioFormat): number {
  return format.type === 'audio/pcm' ? (format.rate ?? defaultRateHz) : g711RateHz;
}

export function isSameFormat(a: AudioFormat, b: AudioFormat): boolean {
  return a.type === b.type && sampleRateOf(a) === sampleRateOf(b);
}
