import { getOrCreate } from '../core/get-or-create.ts';
import type { ChatMessage, ToolDefinition } from '../core/chat/messages.ts';
import type { RenderTurns } from '../core/chat/tool-calls/template-turn.ts';
import type { TurnKind } from '../core/chat/turns.ts';
import { compileTemplate, type CompiledTemplate } from '../core/jinja/template.ts';
import { runSteps } from '../core/run-steps.ts';
import { abbreviate, describeValue } from '../core/text/quote.ts';
import { fieldError, type InferenceError, orThrow } from '../errors.ts';
import type { ModelFolder } from '../contracts/text-model.ts';
import { callIdsOf, toNamedIds } from './call-ids.ts';
import { sourceError } from './model-files.ts';
import { probes, probeTool, probeTurns, type TurnFates } from './template-probes.ts';
import { parseArguments, TemplateRenderer, toolFeeds, type ToolFeed } from './template-renderer.ts';
import { tokenText } from './tokenizer.ts';

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

/** Compiles a model's chat template; with tools its `tool_use` variant where it has one. */
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
 * Finds out in which form a template wants conversations.
 * @returns whether it shows tools, and what it writes behind a question: a call and its result
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
  // Some templates know a call by its id alone.
  if (start.includes(probes.id) && !start.includes(probeTool.name)) renderer.toCallIds = toNamedIds;
  return { supportsTools: feed !== undefined, called };
}

/** Names of the switch: Qwen and most others, DeepSeek and Granite, Command A. */
const thinkingSwitches = ['enable_thinking', 'thinking', 'reasoning'];

function readSpecialTokens(tokenizerConfig: ModelFolder['tokenizerConfig']): Record<string, string> {
  const tokens: Record<string, string> = {};
  for (const kind of ['bos', 'eos', 'unk', 'sep', 'pad', 'cls', 'mask']) {
    const text = tokenText(tokenizerConfig[`${kind}_token`]);
    if (text !== undefined) tokens[`${kind}_token`] = text;
  }
  return tokens;
}
