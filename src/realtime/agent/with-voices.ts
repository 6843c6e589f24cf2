import type { InferenceBase, ModelControl } from '../../contracts/engine.ts';
import { modelStates } from '../../core/model-states.ts';
import type { ModelStatus } from '../../contracts/model.ts';
import { fieldError, InferenceError } from '../../errors.ts';
import { quote } from '../../core/text/quote.ts';
import { openTalk, type Talk, type TalkOptions } from './talk.ts';
import { assertVoice, isVoiceModel, voiceCategory, type VoiceInfo, type VoiceModel } from './voice.ts';

/** An inference with agents among its models. */
export interface VoiceMethods {
  /**
   * A conversation with a voice agent in this process: with the same events as `WS /v1/realtime`.
   *
   * @throws InferenceError `model_not_found` for an unknown agent
   */
  talk(options: TalkOptions): Talk;
}

type Base = InferenceBase & ModelControl<never>;

/** Separates agents from models. */
export function splitVoices<Model>(models: Readonly<Record<string, Model | VoiceModel>>) {
  // Non-objects are rejected later.
  if (Array.isArray(models) || typeof models !== 'object' || models === null)
    return { voices: {}, others: models as Readonly<Record<string, Exclude<Model, VoiceModel>>> };
  const entries = Object.entries(models);
  const isVoice = (entry: readonly [string, Model | VoiceModel]): entry is [string, VoiceModel] =>
    isVoiceModel(entry[1]);
  const others = entries.filter((entry): entry is [string, Exclude<Model, VoiceModel>] => !isVoice(entry));
  return { voices: Object.fromEntries(entries.filter(isVoice)), others: Object.fromEntries(others) };
}

/**
 * Adds agents to an inference. An agent combines three of its models and runs nothing itself.
 *
 * @throws InferenceError `invalid_request` for a part that is no model, or a model of the wrong category
 */
export function withVoices<Inference extends Base>(
  whole: Inference,
  given: Readonly<Record<string, VoiceModel>>,
): Inference & VoiceMethods {
  const inference = { ...whole };
  const agents = new Map<string, VoiceInfo>();
  const add = (id: string, model: unknown): void => {
    if (!isVoiceModel(model)) return inference.add(id, model as never);
    const path = `models.${id}`;
    const models = inference.models();
    assertVoice(path, model, (part) => models.find((one) => one.id === part)?.category);
    if (agents.has(id) || models.some((one) => one.id === id))
      throw fieldError(path, 'expected an id that is free, there is a model with it');
    const facts = { created: 0, ownedBy: 'slashv1', contextLength: 0, inputModalities: undefined };
    agents.set(id, { id, name: model.name ?? id, category: voiceCategory, ...facts, agent: model });
  };
  for (const [id, model] of Object.entries(given)) add(id, model);

  const partsOf = ({ agent }: VoiceInfo): string[] => [agent.hears, agent.thinks, agent.speaks];
  const ofParts =
    (act: 'load' | 'unload' | 'reload') =>
    async (id: string): Promise<void> => {
      const agent = agents.get(id);
      if (!agent) return inference[act](id);
      await Promise.all(partsOf(agent).map((part) => inference[act](part)));
    };
  const methods: VoiceMethods & Partial<Base> = {
    add,
    async remove(id, options) {
      if (!agents.delete(id)) await inference.remove(id, options);
    },
    load: ofParts('load'),
    unload: ofParts('unload'),
    reload: ofParts('reload'),
    models() {
      const models = inference.models();
      // The context length is known when the chat model is loaded.
      const lengthOf = ({ agent }: VoiceInfo) => models.find(({ id }) => id === agent.thinks)?.contextLength;
      const known = Array.from(agents.values(), (one) => ({ ...one, contextLength: lengthOf(one) }));
      return [...models, ...known];
    },
    status() {
      const statuses = inference.status();
      return [...statuses, ...[...agents.values()].map((one) => stateOf(one.id, partsOf(one), statuses))];
    },
    talk(options) {
      const agent = agents.get(options.model);
      if (agent) return openTalk(agent, inference, options);
      throw new InferenceError('model_not_found', `There is no voice agent ${quote(options.model)}.`, {
        param: 'model',
      });
    },
  };
  return Object.assign(whole, methods);
}

/** An agent is ready when all its parts are; otherwise it reports its least ready part. */
function stateOf(id: string, parts: readonly string[], statuses: readonly ModelStatus[]): ModelStatus {
  const states = parts.map((part) => statuses.find((one) => one.id === part)?.state ?? 'closed');
  const rank = (state: ModelStatus['state']): number => (state === 'ready' ? -1 : modelStates.indexOf(state));
  const [state = 'closed'] = states.toSorted((a, b) => rank(b) - rank(a));
  return { id, state, running: 0, waiting: 0 };
}
