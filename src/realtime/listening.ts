import type { PcmEncoding } from '../core/audio/containers/pcm-samples.ts';
import { resolveParameters, toWireName, type ParameterValues } from '../core/parameters/descriptor.ts';
import { parameterReader } from '../validation/request-table.ts';
import { turnParameters } from './turn-parameters.ts';
import type { z } from 'zod';
import { defaultRateHz, type AudioFormat, type modelSchema, type turnShape } from './protocol.ts';

/** The client's settings of the audio that it sends next. */
export interface Configuration {
  readonly format: AudioFormat;
  readonly model: string;
  readonly language?: string | null | undefined;
  readonly prompt?: string | null | undefined;
  readonly keywords?: readonly string[] | null | undefined;
  /** `undefined` if only the client commits. */
  readonly turns: ParameterValues<typeof turnParameters> | undefined;
}

/** The fields of an update. */
export interface ConfigurationUpdate {
  readonly format?: AudioFormat | undefined;
  readonly transcription?: z.infer<typeof modelSchema> | null | undefined;
  readonly turn_detection?: z.infer<z.ZodObject<typeof turnShape>> | null | undefined;
}

const g711RateHz = 8000;
const readTurns = parameterReader(turnParameters);

/** The configuration of a session that has just begun. */
export function defaultConfiguration(model: string): Configuration {
  return { format: { type: 'audio/pcm' }, model, turns: resolveParameters(turnParameters, {}) };
}

/** Omitted fields keep their values; `null` restores the default, and turns the detection of turns off. */
export function updateConfiguration(
  before: Configuration,
  { format = before.format, transcription, turn_detection: turns }: ConfigurationUpdate,
  defaults: Configuration,
): Configuration {
  const heard = transcription === null ? defaults : before;
  const { model = heard.model, prompt = heard.prompt, keywords = heard.keywords } = transcription ?? {};
  const { languages, language = languages === undefined ? heard.language : languages?.[0] } =
    transcription ?? {};
  const detected = turns ? resolveParameters(turnParameters, readTurns(turns)) : undefined;
  return { format, model, language, prompt, keywords, turns: turns === undefined ? before.turns : detected };
}

export function toFormat(format: AudioFormat): AudioFormat {
  return format.type === 'audio/pcm' ? { ...format, rate: sampleRateOf(format) } : format;
}

/** The settings of the recording, as a session reports them. */
export function toInput(configuration: Configuration) {
  return {
    format: toFormat(configuration.format),
    transcription: toTranscription(configuration),
    noise_reduction: null,
    turn_detection: toTurnDetection(configuration),
  };
}

function toTranscription({ model, language, prompt, keywords }: Configuration) {
  return { model, language: language ?? null, prompt: prompt ?? null, ...(keywords && { keywords }) };
}

function toTurnDetection({ turns }: Configuration) {
  if (!turns) return null;
  const fields = Object.entries(turns).map(([name, value]) => [toWireName(name), value]);
  return { type: 'server_vad', ...Object.fromEntries(fields) };
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
