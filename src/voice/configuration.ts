import {
  defaultConfiguration,
  readModel,
  sampleRateOf,
  toTurnDetection,
  type Configuration,
} from '../categories/transcription/wire/live/configuration.ts';
import { turnParameters } from '../categories/transcription/wire/live/parameters.ts';
import type { AudioFormat } from '../categories/transcription/wire/live/schema.ts';
import type { ToolChoice, ToolDefinition } from '../core/chat/messages.ts';
import { resolveParameters } from '../core/parameters/descriptor.ts';
import { quote } from '../core/text/quote.ts';
import { fieldError } from '../errors.ts';
import { parameterReader } from '../validation/parameter-schema.ts';
import type { VoiceResponseFields, VoiceSessionFields } from './schema.ts';
import type { VoiceModel } from './voice.ts';

/** The wishes of a client for one answer. */
export interface AnswerSettings {
  readonly instructions: string | undefined;
  readonly modality: 'audio' | 'text';
  readonly tools: readonly ToolDefinition[];
  readonly toolChoice: ToolChoice | undefined;
  readonly parallelToolCalls: boolean | undefined;
  readonly temperature: number | undefined;
  readonly maxOutputTokens: number | undefined;
  readonly format: AudioFormat;
  readonly voice: string | undefined;
  readonly speed: number | undefined;
}

/** The way in which turns end. */
export interface TurnRules {
  readonly createsResponse: boolean;
  readonly interruptsResponse: boolean;
  /** Longest silence within a turn whose text may go on, by the words of a client; `undefined` where silence alone counts. */
  readonly eagerness: keyof typeof longestSilenceMs | undefined;
}

/** Everything that a client may wish of a session. */
export interface VoiceConfiguration {
  readonly input: Configuration;
  /** Whether the client is told what was heard. */
  readonly tellsTranscripts: boolean;
  readonly rules: TurnRules;
  readonly answer: AnswerSettings;
  readonly truncation: 'auto' | 'disabled';
}

type InputFields = NonNullable<NonNullable<VoiceSessionFields['audio']>['input']>;
type Answering = Pick<
  VoiceSessionFields & VoiceResponseFields,
  | 'instructions'
  | 'output_modalities'
  | 'tools'
  | 'tool_choice'
  | 'parallel_tool_calls'
  | 'temperature'
  | 'max_output_tokens'
> & {
  readonly audio?: { readonly output?: Partial<OutputFields> | undefined } | undefined;
};
type OutputFields = NonNullable<NonNullable<VoiceSessionFields['audio']>['output']>;

const longestSilenceMs = { low: 8000, medium: 4000, high: 2000, auto: 4000 } as const;
/** A pause after which the text so far is looked at. */
const pauseMs = 300;
const readTurns = parameterReader(turnParameters);
/** Recognizers of the hosted API, which clients name unasked. */
const hosted = /^(whisper-1|gpt-4o(-mini)?-transcribe(-.+)?)$/;

/** The configuration of a session that has just begun. */
export function defaultVoiceConfiguration(model: VoiceModel): VoiceConfiguration {
  const { hears, instructions, language, voice, speed } = model;
  return {
    input: { ...defaultConfiguration(hears), language },
    tellsTranscripts: false,
    rules: { createsResponse: true, interruptsResponse: true, eagerness: undefined },
    answer: {
      instructions,
      modality: 'audio',
      tools: [],
      toolChoice: undefined,
      parallelToolCalls: undefined,
      temperature: undefined,
      maxOutputTokens: undefined,
      format: { type: 'audio/pcm' },
      voice,
      speed,
    },
    truncation: 'auto',
  };
}

/** Fields that an update leaves out stay. */
export function updateVoiceConfiguration(
  before: VoiceConfiguration,
  fields: VoiceSessionFields,
  { id, model }: { readonly id: string; readonly model: VoiceModel },
): VoiceConfiguration {
  if (fields.model !== undefined && fields.model !== id)
    throw fieldError('session.model', `expected ${quote(id)}, which stays, got ${quote(fields.model)}`);
  const { format, transcription, turn_detection: turns } = fields.audio?.input ?? {};
  const heard = transcription === null ? defaultVoiceConfiguration(model).input : before.input;
  const { model: asked, ...wishes } = transcription ?? {};
  return {
    input: {
      format: format ?? before.input.format,
      ...readModel(heard, { ...wishes, model: asked && hosted.test(asked) ? model.hears : asked }),
      turns: turns === undefined ? before.input.turns : readVoiceTurns(turns),
    },
    tellsTranscripts: transcription === undefined ? before.tellsTranscripts : transcription !== null,
    rules: turns ? readRules(turns) : before.rules,
    answer: readAnswer(before.answer, fields),
    truncation: fields.truncation ?? before.truncation,
  };
}

function toTool({ name, description, parameters }: NonNullable<Answering['tools']>[number]): ToolDefinition {
  return { name, description, parameters };
}

/** The settings of an answer, where a client wishes others than the session's. */
export function readAnswer(before: AnswerSettings, fields: Answering): AnswerSettings {
  const { output_modalities: [modality = before.modality] = [], audio: { output = {} } = {} } = fields;
  const { voice = before.voice, format = before.format, speed = before.speed } = output;
  const { max_output_tokens: most = before.maxOutputTokens, tool_choice: choice } = fields;
  return {
    instructions: fields.instructions ?? before.instructions,
    modality,
    tools: fields.tools?.map(toTool) ?? before.tools,
    toolChoice: typeof choice === 'object' ? { name: choice.name } : (choice ?? before.toolChoice),
    parallelToolCalls: fields.parallel_tool_calls ?? before.parallelToolCalls,
    temperature: fields.temperature ?? before.temperature,
    maxOutputTokens: most === 'inf' ? undefined : most,
    format,
    voice: typeof voice === 'object' ? voice.id : voice,
    speed,
  };
}

function readVoiceTurns(given: InputFields['turn_detection']): Configuration['turns'] {
  if (!given) return undefined;
  if (given.type === 'server_vad') return resolveParameters(turnParameters, readTurns(given));
  return resolveParameters(turnParameters, { silenceDurationMs: pauseMs });
}

function readRules(given: NonNullable<InputFields['turn_detection']>): TurnRules {
  const { create_response: createsResponse = true, interrupt_response: interruptsResponse = true } = given;
  const eagerness = given.type === 'semantic_vad' ? (given.eagerness ?? 'auto') : undefined;
  return { createsResponse, interruptsResponse, eagerness };
}

/** In milliseconds; 0 where every silence ends a turn. */
export function longestPauseMs({ eagerness }: TurnRules): number {
  return eagerness === undefined ? 0 : longestSilenceMs[eagerness];
}

/** The session that a configuration is, as `session.updated` says it. */
export function toVoiceSession(
  { input, tellsTranscripts, rules, answer, truncation }: VoiceConfiguration,
  model: string,
) {
  const { language = null, prompt = null } = input;
  const { createsResponse, interruptsResponse, eagerness } = rules;
  const responding = { create_response: createsResponse, interrupt_response: interruptsResponse };
  const turns = eagerness ? { type: 'semantic_vad', eagerness } : toTurnDetection(input);
  return {
    type: 'realtime' as const,
    model,
    ...toAnswerFields(answer),
    instructions: answer.instructions ?? '',
    audio: {
      input: {
        format: toFormat(input.format),
        transcription: tellsTranscripts ? { model: input.model, language, prompt } : null,
        noise_reduction: null,
        turn_detection: input.turns && turns ? { ...turns, ...responding } : null,
      },
      output: { ...toOutput(answer), speed: answer.speed ?? 1 },
    },
    tools: answer.tools.map((tool) => ({ type: 'function', ...tool })),
    tool_choice: toWireChoice(answer.toolChoice),
    temperature: answer.temperature ?? null,
    truncation,
    include: null,
    prompt: null,
    tracing: null,
  };
}

/** The fields of a response that say how it is answered. */
export function toAnswerFields({ modality, maxOutputTokens }: AnswerSettings) {
  return { output_modalities: [modality], max_output_tokens: maxOutputTokens ?? 'inf' };
}

export function toOutput({ format, voice }: AnswerSettings) {
  return { format: toFormat(format), voice: voice ?? null };
}

function toFormat(format: AudioFormat): AudioFormat {
  return format.type === 'audio/pcm' ? { ...format, rate: sampleRateOf(format) } : format;
}

function toWireChoice(choice: ToolChoice | undefined) {
  return typeof choice === 'object' ? { type: 'function', name: choice.name } : (choice ?? 'auto');
}
