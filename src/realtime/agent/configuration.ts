import {
  defaultConfiguration,
  toFormat,
  toInput,
  updateConfiguration,
  type Configuration,
} from '../listening.ts';
import type { AudioFormat } from '../protocol.ts';
import { quote } from '../../core/text/quote.ts';
import { fieldError } from '../../errors.ts';
import {
  answeringSchema,
  type AnsweringFields,
  type VoiceOutput,
  type VoiceResponseFields,
  type VoiceSessionFields,
} from './schema.ts';
import type { VoiceInfo, VoiceModel } from './voice.ts';

/** The client's settings of its answers, as it wrote them. */
export type AnswerSettings = AnsweringFields & { readonly output: Output };
type Output = Omit<VoiceOutput, 'format' | 'voice'> & {
  readonly format: AudioFormat;
  readonly voice?: string | undefined;
};

/** Rules of turns, as the client wrote them; `eagerness` is undefined if silence alone ends a turn. */
export interface TurnRules {
  readonly create_response: boolean;
  readonly interrupt_response: boolean;
  readonly eagerness: keyof typeof maxSilenceMs | undefined;
}

/** All settings of a session. */
export interface VoiceConfiguration {
  readonly input: Configuration;
  readonly tellsTranscripts: boolean;
  readonly rules: TurnRules;
  readonly answer: AnswerSettings;
  readonly truncation: Truncation;
}

export type Truncation = NonNullable<VoiceSessionFields['truncation']>;

type TurnFields = NonNullable<
  NonNullable<NonNullable<VoiceSessionFields['audio']>['input']>['turn_detection']
>;
const maxSilenceMs = { low: 8000, medium: 4000, high: 2000, auto: 4000 } as const;
/** Pause after which the text so far decides whether the turn is over. */
const pauseMs = 300;
/** Recognizers of the hosted API: client libraries send these names by default. */
const hosted = /^(?:whisper-1|gpt-realtime-whisper|gpt-(?:4o-|4o-mini-|live-)?transcribe)(?:-.+)?$/;

/** The configuration of a session that has just begun. */
export function defaultVoiceConfiguration(model: VoiceModel): VoiceConfiguration {
  const { hears, instructions, language, voice, speed } = model;
  return {
    input: { ...defaultConfiguration(hears), language },
    tellsTranscripts: false,
    rules: { create_response: true, interrupt_response: true, eagerness: undefined },
    answer: { instructions, output: { format: { type: 'audio/pcm' }, voice, speed } },
    truncation: 'auto',
  };
}

/** Omitted fields keep their values. */
export function updateVoiceConfiguration(
  before: VoiceConfiguration,
  fields: VoiceSessionFields,
  { id, agent }: VoiceInfo,
): VoiceConfiguration {
  if (fields.model !== undefined && fields.model !== id)
    throw fieldError('session.model', `expected ${quote(id)}, which stays, got ${quote(fields.model)}`);
  const { format, transcription, turn_detection: turns } = fields.audio?.input ?? {};
  const model = transcription?.model;
  const asked = transcription && {
    ...transcription,
    model: model !== undefined && hosted.test(model) ? agent.hears : model,
  };
  const detection = turns?.type === 'semantic_vad' ? { silence_duration_ms: pauseMs } : turns;
  const update = { format, transcription: asked, turn_detection: detection };
  return {
    input: updateConfiguration(before.input, update, defaultVoiceConfiguration(agent).input),
    tellsTranscripts: transcription === undefined ? before.tellsTranscripts : transcription !== null,
    rules: turns ? toRules(turns) : before.rules,
    answer: readAnswer(before.answer, fields, 'session'),
    truncation: fields.truncation ?? before.truncation,
  };
}

/** Settings of one answer: the fields of the request override the session's. */
export function readAnswer(
  before: AnswerSettings,
  fields: VoiceSessionFields | VoiceResponseFields,
  owner: 'session' | 'response',
): AnswerSettings {
  const { format = before.output.format, voice = before.output.voice, ...rest } = fields.audio?.output ?? {};
  const output = { ...before.output, ...rest, format, voice: typeof voice === 'object' ? voice.id : voice };
  const answer = { ...before, ...answeringSchema.parse(fields), output };
  const { tools = [], tool_choice: choice } = answer;
  if (typeof choice !== 'object' || tools.some(({ name }) => name === choice.name)) return answer;
  throw fieldError(`${owner}.tool_choice`, `expected one of the tools, got ${quote(choice.name)}`);
}

function toRules({ create_response = true, interrupt_response = true, ...turns }: TurnFields): TurnRules {
  const eagerness = turns.type === 'semantic_vad' ? (turns.eagerness ?? 'auto') : undefined;
  return { create_response, interrupt_response, eagerness };
}

/** In milliseconds; 0 if each silence ends a turn. */
export function maxPauseMs({ eagerness }: TurnRules): number {
  return eagerness === undefined ? 0 : maxSilenceMs[eagerness];
}

/** The session as `session.updated` reports it. */
export function toVoiceSession(
  { input, tellsTranscripts, rules, answer, truncation }: VoiceConfiguration,
  model: string,
) {
  const { transcription, turn_detection: silence, ...reported } = toInput(input);
  const turns = rules.eagerness ? { type: 'semantic_vad' } : silence;
  return {
    type: 'realtime' as const,
    model,
    ...toAnswerFields(answer),
    instructions: answer.instructions ?? '',
    audio: {
      input: {
        ...reported,
        transcription: tellsTranscripts ? transcription : null,
        turn_detection: input.turns ? { ...turns, ...rules } : null,
      },
      output: { ...toOutput(answer), speed: answer.output.speed ?? 1 },
    },
    tools: answer.tools ?? [],
    tool_choice: answer.tool_choice ?? 'auto',
    temperature: answer.temperature ?? null,
    reasoning: answer.reasoning ?? null,
    truncation,
    include: null,
    prompt: null,
    tracing: null,
  };
}

/** The settings that a response repeats. */
export function toAnswerFields({ output_modalities = ['audio'], max_output_tokens = 'inf' }: AnswerSettings) {
  return { output_modalities, max_output_tokens };
}

export function toOutput({ output: { format, voice } }: AnswerSettings) {
  return { format: toFormat(format), voice: voice ?? null };
}
