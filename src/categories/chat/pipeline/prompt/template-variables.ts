import { toWireName } from '../../../../core/parameters/descriptor.ts';
import { quote } from '../../../../core/text/quote.ts';
import { fieldError, type InferenceError, unsupportedError } from '../../../../errors.ts';
import type { ChatTemplate } from '../../../../folder/chat-template.ts';
import type { ChatRequest } from '../../request.ts';

interface Switches extends Pick<ChatTemplate, 'reads' | 'thinkingSwitch' | 'source'> {
  /** The model supports thinking; otherwise switching it off has no effect. */
  readonly thinks: boolean;
}

/** Variables with a dedicated request field. */
const givenElsewhere = new Set(['messages', 'tools']);

/** Names of the template parameters that this template doesn't use. */
export function foreignTemplateParameters(template: Omit<Switches, 'thinks'>): string[] {
  const hasSwitch = template.thinkingSwitch !== undefined;
  return [
    ...(hasSwitch ? [] : ['enableThinking']),
    ...(hasSwitch || template.reads('reasoning_effort') ? [] : ['reasoningEffort']),
  ];
}

export function templateVariables(
  request: Omit<ChatRequest, 'messages'>,
  template: Switches,
): Record<string, unknown> {
  const { chatTemplateKwargs, documents, enableThinking, reasoningEffort: effort } = request;
  const fail = (param: string, lacked: string): InferenceError =>
    unsupportedError(param, `the chat template of the model ${quote(request.model)} has no ${lacked}`);
  for (const name of Object.keys(chatTemplateKwargs)) {
    if (givenElsewhere.has(name))
      throw fieldError('chat_template_kwargs', `expected no "${name}", which the request itself has`);
    if (!template.reads(name)) throw fail('chat_template_kwargs', `variable ${quote(name)}`);
  }
  if (documents.length > 0 && !template.reads('documents')) throw fail('documents', 'place for documents');
  const isOff = enableThinking === false || effort === 'none';
  const switches = isOff && !template.thinks ? [] : foreignTemplateParameters(template);
  for (const name of switches) {
    if (request[name as 'enableThinking' | 'reasoningEffort'] !== undefined)
      throw fail(toWireName(name), 'switch for thinking');
  }
  const { thinkingSwitch } = template;
  const passesEffort =
    template.reads('reasoning_effort') && (effort !== 'none' || /(["'])none\1/.test(template.source));
  if (effort === 'none' && template.thinks && !passesEffort && thinkingSwitch === undefined)
    throw fail('reasoning_effort', 'way to switch thinking off');
  const thinks = enableThinking ?? (effort === undefined ? undefined : effort !== 'none');
  return {
    ...(request.addGenerationPrompt === false || request.continueFinalMessage
      ? { add_generation_prompt: false }
      : {}),
    ...(documents.length > 0 ? { documents } : {}),
    ...(effort !== undefined && passesEffort ? { reasoning_effort: effort } : {}),
    ...(thinks !== undefined && thinkingSwitch !== undefined ? { [thinkingSwitch]: thinks } : {}),
    ...chatTemplateKwargs,
  };
}
