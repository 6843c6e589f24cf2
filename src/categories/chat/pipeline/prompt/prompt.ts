import { isJson } from '../../../../core/text/bounded-json.ts';
import type { ChatMessage, ToolDefinition } from '../../../../core/chat/messages.ts';
import type { TurnKind } from '../../../../core/chat/turns.ts';
import type { ReasoningConstraint } from '../../../../core/grammar/constraint.ts';
import { bestFittingTool } from '../../../../core/chat/tool-selection.ts';
import { quote } from '../../../../core/text/quote.ts';
import { fieldError, unsupportedError, type InferenceError } from '../../../../errors.ts';
import type { ChatTemplate } from '../../../../folder/chat-template.ts';
import type { ChatRequest } from '../../request.ts';
import { toWireName } from '../../../../core/parameters/descriptor.ts';

export type TextRequest = Omit<ChatRequest, 'messages'> & { readonly messages: readonly ChatMessage[] };

export interface Prompt {
  readonly text: string;
  readonly tools: readonly ToolDefinition[];
  readonly turnsMerged: readonly TurnKind[];
}

/** Its trailing space shows whether the template trims contents. */
const endOfText = 'SLASHV1_END_OF_TEXT ';

/** If the template rejects several tools, it gets the required tool, else the best match for the user's last message. */
export function* renderPrompt(
  request: TextRequest,
  template: ChatTemplate,
  thinks: boolean,
): Generator<void, Prompt> {
  const tools = request.toolChoice === 'none' ? [] : request.tools;
  const variables = templateVariables(request, { ...template, thinks });
  function* render(shown: readonly ToolDefinition[]): Generator<void, Prompt> {
    const merged = new Set<TurnKind>();
    const messages = request.continueFinalMessage ? withMarkedEnd(request.messages) : request.messages;
    const whole = yield* template.renderSteps(messages, shown, variables, merged);
    const text = request.continueFinalMessage ? upToMark(whole) : whole;
    return { text, tools: shown, turnsMerged: [...merged] };
  }
  try {
    return yield* render(tools);
  } catch (error) {
    const cut = findCutArguments(request.messages);
    if (cut !== undefined)
      throw fieldError(cut.param, `expected a JSON object, got ${quote(cut.text)}`, { cause: error });
    if (tools.length < 2) throw error;
    try {
      return yield* render([bestTool(request)]);
    } catch {
      throw error;
    }
  }
}

/** For example truncated arguments: most templates need an object. */
function findCutArguments(
  messages: readonly ChatMessage[],
): { readonly param: string; readonly text: string } | undefined {
  for (const [index, message] of messages.entries()) {
    const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : [];
    const at = calls.findIndex(
      ({ arguments: text }) => text.trim() !== '' && !(text.trimStart().startsWith('{') && isJson(text)),
    );
    const call = calls[at];
    if (call)
      return { param: `messages[${index}].tool_calls[${at}].function.arguments`, text: call.arguments };
  }
  return undefined;
}

function withMarkedEnd(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const last = messages.at(-1)!;
  return [...messages.slice(0, -1), { ...last, content: last.content + endOfText } as ChatMessage];
}

function upToMark(text: string): string {
  const end = text.lastIndexOf(endOfText.trimEnd());
  if (end === -1) {
    const reason = "the model's chat template doesn't show the last message";
    throw unsupportedError('continue_final_message', reason);
  }
  const open = text.slice(0, end);
  return text.startsWith(endOfText, end) ? open : open.trimEnd();
}

/** If the final text is inside thinking, only the prompt up to the opening marker matters. */
export function thinkingPrompt(
  { continueFinalMessage, messages }: TextRequest,
  prompt: string,
  markers: Pick<ReasoningConstraint, 'open' | 'close'>,
): string {
  if (!continueFinalMessage) return prompt;
  const content = messages.at(-1)!.content!;
  const lastEnd = (texts: readonly string[]): number =>
    Math.max(...texts.map((text) => content.lastIndexOf(text) + (content.includes(text) ? text.length : 0)));
  const begun = lastEnd(markers.open);
  return begun > lastEnd(markers.close) ? content.slice(0, begun) : prompt;
}

function bestTool({ toolChoice, tools, messages }: TextRequest): ToolDefinition {
  const required = typeof toolChoice === 'object' && tools.find(({ name }) => name === toolChoice.name);
  const text = messages.findLast(({ role }) => role === 'user')?.content ?? '';
  return required || tools[bestFittingTool(tools, text)]!;
}

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
