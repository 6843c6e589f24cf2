import { createHash } from 'node:crypto';
import { getOrCreate } from '../core/get-or-create.ts';
import { fieldError, type InferenceError, orElse, orThrow } from '../errors.ts';
import type { RenderTurns } from '../core/chat/tool-calls/template-turn.ts';
import {
  pictureMark,
  splitAtPictures,
  type ChatMessage,
  type ToolCall,
  type ToolDefinition,
} from '../core/chat/messages.ts';
import type { TurnKind } from '../core/chat/turns.ts';
import { runSteps } from '../core/run-steps.ts';
import { TooManySteps } from '../core/jinja/budget.ts';
import { parseJson } from '../core/jinja/json.ts';
import { toJson } from '../core/jinja/printing.ts';
import { strftime } from '../core/jinja/strftime.ts';
import { probes, probeTool, probeTurns, type TurnFates } from './template-probes.ts';
import { compileTemplate, TemplateRefusal, type CompiledTemplate } from '../core/jinja/template.ts';
import { toValue, type Value } from '../core/jinja/values.ts';
import { sourceError } from './model-files.ts';
import type { ModelFolder } from '../contracts/text-model.ts';
import { tokenText } from './tokenizer.ts';
import { abbreviate, describeValue } from '../core/text/quote.ts';

/** Turns a conversation into the text that a model was trained to continue. */
export interface ChatTemplate {
  /** Whether the model learns of the tools that are given: found out by rendering one. */
  readonly supportsTools: boolean;
  /** Whether past calls and their results stand in the prompt. */
  readonly showsCalls: boolean;
  /** Whether a system message may be given. */
  readonly hasSystemRole: boolean;
  /** What has to become of each kind of turns so that no text is lost, found out by rendering; see `withEveryTurn`. */
  turnFates(options: { readonly hasTools: boolean }): TurnFates;
  /** Renders as it is; `undefined` where the template refuses the conversation. For finding out how it writes calls. */
  readonly probe: RenderTurns;
  /** Jinja source, for finding out what formats a model uses. */
  readonly source: string;
  /** Name of the variable that lets the model think (`true`) or not: found out by rendering. */
  readonly thinkingSwitch: string | undefined;
  /** Whether the template looks at a variable of this name, such as `enable_thinking` or `documents`. */
  reads(variable: string): boolean;
  /**
   * @param variables more of them, such as `documents`; they go before those of the same name
   * @param merged gets the kinds of turns that became parts of others
   */
  render(
    messages: readonly ChatMessage[],
    tools: readonly ToolDefinition[],
    variables?: Readonly<Record<string, unknown>>,
    merged?: Set<TurnKind>,
  ): string;
  /** The same in slices: yields after each round of a loop. */
  renderSteps(...args: Parameters<ChatTemplate['render']>): Generator<void, string>;
}

/** Completes a template by rendering it at once. */
export function withRender(template: Omit<ChatTemplate, 'render'>): ChatTemplate {
  return { ...template, render: (...args) => runSteps(template.renderSteps(...args)) };
}

export interface ChatTemplateOptions {
  /** The clock of templates that write the date into the prompt, in local time. Default: the system's. */
  readonly now?: (() => Date) | undefined;
  /** The setting of that name: Jinja in place of the model's own. */
  readonly chatTemplate?: string | undefined;
}

type Variables = Readonly<Record<string, unknown>>;
type TemplateTool = ReturnType<typeof toTemplateTool>;
/** Names under which a template is given the tools. */
type ToolFeed = (tools: readonly TemplateTool[] | null, now: () => Date) => Variables;

/** The usual name, and those of SmolLM3 and of FireFunction v2, which wants text. The first that shows a tool is used. */
const toolFeeds: readonly ToolFeed[] = [
  (tools) => ({ tools }),
  (tools) => ({ tools, xml_tools: tools }),
  (tools, now) => ({
    tools,
    functions: toJson(toValue((tools ?? []).map((tool) => tool.function)), { indent: 4 }),
    datetime: strftime(now(), '%Y-%m-%d %H:%M:%S'),
  }),
  (tools) => ({ tools, functions: tools?.map((tool) => tool.function) ?? null }),
];

/** Compiles a model's chat template; with tools its `tool_use` variant where it has one. */
export function createChatTemplate(
  {
    chatTemplate: own,
    tokenizerConfig,
    path,
  }: Pick<ModelFolder, 'chatTemplate' | 'tokenizerConfig' | 'path'>,
  { now = () => new Date(), chatTemplate: chosen }: ChatTemplateOptions = {},
): ChatTemplate {
  const chatTemplate = chosen ?? own;
  if (chatTemplate === undefined) {
    throw sourceError(
      `the model in ${path} has no chat template, as base models have none; give one, as Jinja, by the setting chatTemplate`,
    );
  }
  const named = typeof chatTemplate === 'string' ? { default: chatTemplate } : chatTemplate;
  const source = Object.values(named).join('\n');
  const invalid = (cause: unknown): InferenceError =>
    chosen === undefined
      ? sourceError(`the chat template in ${path} is not valid Jinja`, cause)
      : fieldError('chatTemplate', `expected valid Jinja: ${(cause as Error).message}`, { cause });
  const compile = (template: string): CompiledTemplate =>
    orThrow(() => compileTemplate(template, now), invalid);
  const plain = compile(named['default'] ?? Object.values(named)[0] ?? '');
  const withTools = named['tool_use'] === undefined ? plain : compile(named['tool_use']);
  if (chosen !== undefined && !plain.reads('messages')) {
    throw fieldError(
      'chatTemplate',
      `expected Jinja that reads messages, got ${describeValue(chosen)}; the content of a file, not its path`,
    );
  }
  const reads = (variable: string): boolean => plain.reads(variable) || withTools.reads(variable);
  const specialTokens = readSpecialTokens(tokenizerConfig);
  let toCallIds = callIdsOf(source);

  function renderWith(
    feed: ToolFeed,
    messages: readonly ChatMessage[],
    tools: readonly ToolDefinition[],
    variables: Variables = {},
  ): Generator<void, string> {
    const given = {
      ...specialTokens,
      messages: toCallIds(messages)
        .map((message) => toTemplateMessage(message, argumentsOf))
        .map(withParts),
      documents: null,
      add_generation_prompt: true,
    };
    const fed = { ...feed(tools.length > 0 ? tools.map(toExactTool) : null, now), ...variables };
    const messagesFilled = given.messages.map((message) => Object.assign({ content: '' }, message));
    const completed = (complete: (tool: TemplateTool) => TemplateTool): Variables => ({
      ...given,
      messages: messagesFilled,
      ...feed(
        tools.map((tool) => complete(toTemplateTool(tool))),
        now,
      ),
      ...variables,
    });
    return renderGenerously(tools.length > 0 ? withTools : plain, { ...given, ...fed }, [
      // With the same tools, so that the prompts of a conversation begin alike.
      { ...given, messages: messagesFilled, ...fed },
      ...[completeTool, (tool: TemplateTool) => describeParameters(completeTool(tool))].map(completed),
    ]);
  }

  /** Templates may want arguments as an object or as its text. */
  let argumentsOf: (text: string) => Value = parseArguments;

  /** Templates of models for pictures may read contents as lists of parts alone. */
  let readsParts = false;
  function withParts(message: Record<string, unknown>): Record<string, unknown> {
    const { content } = message;
    if (typeof content !== 'string' || !(readsParts || content.includes(pictureMark))) return message;
    return { ...message, content: splitAtPictures(content) };
  }

  /** A slow template is not rendered again, because each rendering takes seconds. */
  let isSlow = false;
  const render = (...args: Parameters<typeof renderWith>): string | undefined => {
    try {
      return isSlow ? undefined : runSteps(renderWith(...args));
    } catch (error) {
      isSlow ||= error instanceof TooManySteps;
      return undefined;
    }
  };
  const showsQuestion = (): boolean =>
    render(toolFeeds[0]!, probes.starts[0]!, [])?.includes(probes.question) ?? false;
  if (!showsQuestion()) {
    readsParts = true;
    readsParts = showsQuestion();
  }
  const feed = toolFeeds.find((candidate) =>
    probes.starts.some((messages) => render(candidate, messages, [probeTool])?.includes(probeTool.name)),
  );
  const usedFeed = feed ?? toolFeeds[0]!;
  const probe: RenderTurns = (messages, tools, variables) => render(usedFeed, messages, tools, variables);
  const behindQuestion = (): string => {
    const prompt = probe(probes.called, []) ?? probe(probes.called, [probeTool]) ?? '';
    return prompt.slice(prompt.lastIndexOf(probes.question) + probes.question.length);
  };
  let called = behindQuestion();
  if (!called.includes(probes.argument)) {
    argumentsOf = (text) => text;
    called = behindQuestion();
    if (!called.includes(probes.argument)) argumentsOf = parseArguments;
  }
  const [start = ''] = called.split(probes.argument, 1);
  // Some templates know a call by its id alone.
  if (start.includes(probes.id) && !start.includes(probeTool.name)) toCallIds = toNamedIds;
  const probed = new Map<boolean, TurnFates>();
  const turnFates = ({ hasTools }: { hasTools: boolean }): TurnFates =>
    getOrCreate(probed, hasTools, () =>
      probeTurns((messages) => render(usedFeed, messages, hasTools ? [probeTool] : [])),
    );
  return withRender({
    source,
    probe,
    turnFates,
    supportsTools: feed !== undefined,
    showsCalls: called.includes(probes.argument) && called.includes(probes.result),
    hasSystemRole: turnFates({ hasTools: false }).system === 'shown',
    thinkingSwitch: thinkingSwitches.filter(reads).find((name) =>
      probes.starts.some((messages) => {
        const [on, off] = [true, false].map((value) => render(usedFeed, messages, [], { [name]: value }));
        return on !== off;
      }),
    ),
    reads,
    *renderSteps(messages, tools, variables) {
      try {
        return yield* renderWith(usedFeed, messages, tools, variables);
      } catch (error) {
        throw fieldError(
          'messages',
          `the model's chat template refuses this conversation: ${abbreviate((error as Error).message, 200)}`,
          { cause: error },
        );
      }
    },
  });
}

/** Names of the switch: Qwen and most others, DeepSeek and Granite, Command A. */
const thinkingSwitches = ['enable_thinking', 'thinking', 'reasoning'];

/** A refusal of the template stays; a conversation that it merely stumbles over is tried again with the gaps filled. */
function* renderGenerously(
  { renderSteps }: CompiledTemplate,
  given: Variables,
  completed: readonly Variables[],
): Generator<void, string> {
  try {
    return yield* renderSteps(given);
  } catch (error) {
    if (error instanceof TemplateRefusal || error instanceof TooManySteps) throw error;
    for (const filled of completed) {
      try {
        return yield* renderSteps(filled, { mayChange: true });
      } catch {
        // Others are fuller.
      }
    }
    throw error;
  }
}

function readSpecialTokens(tokenizerConfig: ModelFolder['tokenizerConfig']): Record<string, string> {
  const tokens: Record<string, string> = {};
  for (const kind of ['bos', 'eos', 'unk', 'sep', 'pad', 'cls', 'mask']) {
    const text = tokenText(tokenizerConfig[`${kind}_token`]);
    if (text !== undefined) tokens[`${kind}_token`] = text;
  }
  return tokens;
}

/** Form of the ids of calls that a template needs. */
function callIdsOf(source: string): (messages: readonly ChatMessage[]) => readonly ChatMessage[] {
  // Mistral's templates raise an exception for ids of another length.
  if (/\|\s*length\s*!=\s*9\b/.test(source))
    return (messages) => withCallIds(messages, ({ id }) => toShortId(id));
  return (messages) => messages;
}

/** Ids that hold the name of the function and the number of the call, as Kimi K2 writes them. */
function toNamedIds(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  let count = 0;
  return withCallIds(messages, ({ id, name }) => {
    const number = count++;
    return id.startsWith(`functions.${name}:`) ? id : `functions.${name}:${number}`;
  });
}

/** Gives every call another id, and its result the same. */
function withCallIds(
  messages: readonly ChatMessage[],
  toId: (call: ToolCall) => string,
): readonly ChatMessage[] {
  const ids = new Map<string, string>();
  return messages.map((message) => {
    if (message.role === 'tool') {
      const { toolCallId } = message;
      return {
        ...message,
        toolCallId: ids.get(toolCallId) ?? toId({ id: toolCallId, name: message.name ?? '', arguments: '' }),
      };
    }
    if (message.role !== 'assistant' || message.toolCalls === undefined) return message;
    const toolCalls = message.toolCalls.map((call) => {
      const id = toId(call);
      ids.set(call.id, id);
      return { ...call, id };
    });
    return { ...message, toolCalls };
  });
}

/** The same nine letters and digits for the same id, so that a conversation's prompt only ever grows. */
function toShortId(id: string): string {
  if (/^[A-Za-z\d]{9}$/.test(id)) return id;
  const digest = createHash('sha256').update(id).digest('hex');
  return BigInt(`0x${digest}`).toString(36).slice(-9);
}

function toTemplateMessage(
  message: ChatMessage,
  argumentsOf: (text: string) => Value,
): Record<string, unknown> {
  if (message.role !== 'assistant') {
    return {
      role: message.role,
      ...(message.role === 'tool' && { tool_call_id: message.toolCallId }),
      content: message.content,
      ...(message.name !== undefined && { name: message.name }),
    };
  }
  const { content, reasoningContent, toolCalls } = message;
  return {
    ...(reasoningContent !== undefined && { thinking: reasoningContent }),
    role: 'assistant',
    ...(content !== null && { content }),
    ...(reasoningContent !== undefined && { reasoning_content: reasoningContent }),
    ...(toolCalls?.length && {
      tool_calls: toolCalls.map((call) => ({
        id: call.id,
        type: 'function',
        function: { name: call.name, arguments: argumentsOf(call.arguments) },
      })),
    }),
  };
}

/** Templates write arguments out as JSON, so they want the object; a text that is none is passed on as it is. */
function parseArguments(text: string): Value {
  return text.trim() === '' ? new Map() : orElse(() => parseJson(text), text);
}

function toTemplateTool({ name, description, parameters }: ToolDefinition) {
  return {
    type: 'function',
    function: { name, ...(description !== undefined && { description }), ...(parameters && { parameters }) },
  };
}

/** Templates write numbers and keys as they were sent. */
function toExactTool(tool: ToolDefinition): TemplateTool {
  const { parametersText } = tool;
  return toTemplateTool(
    parametersText === undefined ? tool : { ...tool, parameters: parseJson(parametersText) as never },
  );
}

function completeTool({ type, function: definition }: TemplateTool): TemplateTool {
  const { name, description = '', parameters } = definition;
  return { type, function: { name, description, parameters: { ...parameters, ...missingFrom(parameters) } } };
}

/** Members that templates look for, where a schema lacks them. */
function missingFrom(parameters: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  const missing = Object.entries({ type: 'object', properties: {} }).filter(
    ([key]) => parameters[key] === undefined,
  );
  return Object.fromEntries(missing);
}

function describeParameters({ type, function: definition }: TemplateTool): TemplateTool {
  const properties = Object.entries(definition.parameters?.['properties'] ?? {});
  const described = properties.map(([key, own]: [string, object]) => [key, { description: '', ...own }]);
  const parameters = { ...definition.parameters, properties: Object.fromEntries(described) };
  return { type, function: { ...definition, parameters } };
}
