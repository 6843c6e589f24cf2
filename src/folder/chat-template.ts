import { getOrCreate } from '../core/get-or-create.ts';
import type { ChatMessage, ToolDefinition, ToolCall } from '../core/chat/messages.ts';
import type { RenderTurns } from '../core/chat/tool-calls/template-turn.ts';
import type { TurnKind } from '../core/chat/turns.ts';
import { compileTemplate, type CompiledTemplate } from '../core/jinja/template.ts';
import { runSteps } from '../core/run-steps.ts';
import { abbreviate, describeValue } from '../core/text/quote.ts';
import { fieldError, type InferenceError, orThrow } from '../errors.ts';
import type { ModelFolder } from '../contracts/text-model.ts';
import { sourceError } from './model-files.ts';
import { probes, probeTool, probeTurns, type TurnFates } from './template-probes.ts';
import { parseArguments, TemplateRenderer, toolFeeds, type ToolFeed } from './template-renderer.ts';
import { tokenText } from './tokenizer.ts';
import { createHash } from 'node:crypto';

/** Renders a conversation as the text that a model was trained to continue. */
export interface ChatTemplate {
  /** Whether the template shows tools: detected by rendering one. */
  readonly supportsTools: boolean;
  /** Whether the prompt shows past calls and their results. */
  readonly showsCalls: boolean;
  /** Whether a system message is supported. */
  readonly hasSystemRole: boolean;
  /** What must happen to each kind of turns so that no text is lost, detected by rendering; see `withEveryTurn`. */
  turnFates(options: { readonly hasTools: boolean }): TurnFates;
  /** Renders without adaptation; `undefined` if the template rejects the conversation. For detecting its notation of calls. */
  readonly probe: RenderTurns;
  /** Jinja source, for detecting a model's formats. */
  readonly source: string;
  /** Name of the variable that turns reasoning on (`true`) or off: detected by rendering. */
  readonly thinkingSwitch: string | undefined;
  /** Whether the template reads a variable, such as `enable_thinking` or `documents`. */
  reads(variable: string): boolean;
  /**
   * @param variables additional ones, such as `documents`; they override existing ones
   * @param merged receives the kinds of turns that were merged
   */
  render(
    messages: readonly ChatMessage[],
    tools: readonly ToolDefinition[],
    variables?: Readonly<Record<string, unknown>>,
    merged?: Set<TurnKind>,
  ): string;
  /** Like `render`, but yields after each round of a loop. */
  renderSteps(...args: Parameters<ChatTemplate['render']>): Generator<void, string>;
}

/** Adds a synchronous `render`. */
export function withRender(template: Omit<ChatTemplate, 'render'>): ChatTemplate {
  return { ...template, render: (...args) => runSteps(template.renderSteps(...args)) };
}

export interface ChatTemplateOptions {
  /** The clock of templates that write the date into the prompt, in local time. Default: the system's. */
  readonly now?: (() => Date) | undefined;
  /** The setting of this name: Jinja that replaces the model's own template. */
  readonly chatTemplate?: string | undefined;
}

/** Compiles a model's chat template; with tools its `tool_use` variant, if any. */
export function createChatTemplate(
  folder: Pick<ModelFolder, 'chatTemplate' | 'tokenizerConfig' | 'path'>,
  options: ChatTemplateOptions = {},
): ChatTemplate {
  const { now = () => new Date() } = options;
  const { source, plain, withTools } = compileTemplates(folder, { ...options, now });
  const reads = (variable: string): boolean => plain.reads(variable) || withTools.reads(variable);
  const specialTokens = readSpecialTokens(folder.tokenizerConfig);
  const renderer = new TemplateRenderer({ plain, withTools, specialTokens, now }, callIdsOf(source));
  const { supportsTools, called } = fitRenderer(renderer);
  const probed = new Map<boolean, TurnFates>();
  const turnFates = ({ hasTools }: { hasTools: boolean }): TurnFates =>
    getOrCreate(probed, hasTools, () =>
      probeTurns((messages) => renderer.tryRender(messages, hasTools ? [probeTool] : [])),
    );
  return withRender({
    source,
    probe: (...args) => renderer.tryRender(...args),
    turnFates,
    supportsTools,
    showsCalls: called.includes(probes.argument) && called.includes(probes.result),
    hasSystemRole: turnFates({ hasTools: false }).system === 'shown',
    thinkingSwitch: thinkingSwitches.filter(reads).find((name) =>
      probes.starts.some((messages) => {
        const [on, off] = [true, false].map((value) => renderer.tryRender(messages, [], { [name]: value }));
        return on !== off;
      }),
    ),
    reads,
    *renderSteps(messages, tools, variables) {
      try {
        return yield* renderer.renderSteps(messages, tools, variables);
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

function compileTemplates(
  { chatTemplate: own, path }: Pick<ModelFolder, 'chatTemplate' | 'path'>,
  { now, chatTemplate: chosen }: ChatTemplateOptions & { readonly now: () => Date },
) {
  const chatTemplate = chosen ?? own;
  if (chatTemplate === undefined) {
    throw sourceError(
      `the model in ${path} has no chat template, as base models have none; give one, as Jinja, by the setting chatTemplate`,
    );
  }
  const named = typeof chatTemplate === 'string' ? { default: chatTemplate } : chatTemplate;
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
  return { source: Object.values(named).join('\n'), plain, withTools };
}

/**
 * Detects the form of conversations that a template requires.
 * @returns whether it shows tools, and its rendering of a call and its result after a question
 */
function fitRenderer(renderer: TemplateRenderer) {
  const showsQuestion = (): boolean =>
    renderer.tryRender(probes.starts[0]!, [])?.includes(probes.question) ?? false;
  if (!showsQuestion()) {
    renderer.readsParts = true;
    renderer.readsParts = showsQuestion();
  }
  const showsTool = (feed: ToolFeed): boolean => {
    renderer.feed = feed;
    return probes.starts.some((messages) =>
      renderer.tryRender(messages, [probeTool])?.includes(probeTool.name),
    );
  };
  const feed = toolFeeds.find(showsTool);
  renderer.feed = feed ?? toolFeeds[0]!;
  const behindQuestion = (): string => {
    const { called } = probes;
    const prompt = renderer.tryRender(called, []) ?? renderer.tryRender(called, [probeTool]) ?? '';
    return prompt.slice(prompt.lastIndexOf(probes.question) + probes.question.length);
  };
  let called = behindQuestion();
  if (!called.includes(probes.argument)) {
    renderer.argumentsOf = (text) => text;
    called = behindQuestion();
    if (!called.includes(probes.argument)) renderer.argumentsOf = parseArguments;
  }
  const [start = ''] = called.split(probes.argument, 1);
  // Some templates identify a call only by its id.
  if (start.includes(probes.id) && !start.includes(probeTool.name)) renderer.toCallIds = toNamedIds;
  return { supportsTools: feed !== undefined, called };
}

/** Names of the switch: Qwen and most families, DeepSeek and Granite, Command A. */
const thinkingSwitches = ['enable_thinking', 'thinking', 'reasoning'];

function readSpecialTokens(tokenizerConfig: ModelFolder['tokenizerConfig']): Record<string, string> {
  const tokens: Record<string, string> = {};
  for (const kind of ['bos', 'eos', 'unk', 'sep', 'pad', 'cls', 'mask']) {
    const text = tokenText(tokenizerConfig[`${kind}_token`]);
    if (text !== undefined) tokens[`${kind}_token`] = text;
  }
  return tokens;
}

/** The form of call ids that a template requires; `undefined` if it takes any. */
function callIdsOf(
  source: string,
): ((messages: readonly ChatMessage[]) => readonly ChatMessage[]) | undefined {
  // Mistral's templates raise an exception for ids of a different length.
  if (/\|\s*length\s*!=\s*9\b/.test(source))
    return (messages) => withCallIds(messages, ({ id }) => toShortId(id));
  return undefined;
}

/** Ids with the function's name and the call's number, as Kimi K2 writes them. */
function toNamedIds(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  let count = 0;
  return withCallIds(messages, ({ id, name }) => {
    const number = count++;
    return id.startsWith(`functions.${name}:`) ? id : `functions.${name}:${number}`;
  });
}

/** Replaces the id of every call and of its result. */
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

/** Deterministic nine letters and digits, so that a conversation's prompts share their prefix. */
function toShortId(id: string): string {
  if (/^[A-Za-z\d]{9}$/.test(id)) return id;
  const digest = createHash('sha256').update(id).digest('hex');
  return BigInt(`0x${digest}`).toString(36).slice(-9);
}
