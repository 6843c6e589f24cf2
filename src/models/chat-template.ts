import { createHash } from 'node:crypto';
import { InferenceError } from '../errors.ts';
import type { ChatMessage, ToolDefinition } from '../core/chat/messages.ts';
import { parseJson } from './jinja/json.ts';
import { compileTemplate, TemplateRefusal, type CompiledTemplate } from './jinja/template.ts';
import type { Value } from './jinja/values.ts';
import type { ModelFolder } from './model-folder.ts';

/** Turns a conversation into the text that a model was trained to continue. */
export interface ChatTemplate {
  /** Whether the template has a place for tool definitions. */
  readonly supportsTools: boolean;
  /** Jinja source, for finding out what formats a model uses. */
  readonly source: string;
  /**
   * @returns the prompt, with the beginning of the assistant's turn
   * @throws InferenceError `invalid_request` with the template's own message where it refuses the conversation
   */
  render(messages: readonly ChatMessage[], tools: readonly ToolDefinition[]): string;
}

export interface ChatTemplateOptions {
  /** The clock of templates that write the date into the prompt, in local time. Default: the system's. */
  readonly now?: (() => Date) | undefined;
}

type Variables = Readonly<Record<string, unknown>>;

/**
 * Compiles a model's chat template; with tools its `tool_use` variant where it has one. It renders what
 * `apply_chat_template` of `transformers` renders, and two things more that clients send every day: where a template
 * fails on a call without content or a tool without description or parameters, it gets empty ones; and where it takes
 * only tool call ids of nine characters, it gets such ids, derived from the real ones.
 *
 * @throws InferenceError `invalid_request` if the model has none or it is no valid Jinja
 *
 * @example
 * ```ts
 * const template = createChatTemplate(await openModelFolder('models/qwen3'));
 * template.render([{ role: 'user', content: 'Hello' }], []);
 * // '<|im_start|>user\nHello<|im_end|>\n<|im_start|>assistant\n'
 * ```
 */
export function createChatTemplate(
  { chatTemplate, tokenizerConfig, path }: ModelFolder,
  { now = () => new Date() }: ChatTemplateOptions = {},
): ChatTemplate {
  if (chatTemplate === undefined) {
    throw new InferenceError('invalid_request', `source: the model in ${path} has no chat template`, {
      param: 'source',
    });
  }
  const named = typeof chatTemplate === 'string' ? { default: chatTemplate } : chatTemplate;
  const source = Object.values(named).join('\n');
  const plain = compile(named['default'] ?? Object.values(named)[0] ?? '', path, now);
  const withTools = named['tool_use'] === undefined ? plain : compile(named['tool_use'], path, now);
  const specialTokens = readSpecialTokens(tokenizerConfig);
  const toCallId = wantsShortIds(source) ? toShortId : (id: string) => id;
  return {
    source,
    supportsTools: /\btools\b/.test(source),
    render(messages, tools) {
      const given = {
        ...specialTokens,
        messages: messages.map((message) => toTemplateMessage(message, toCallId)),
        tools: tools.length > 0 ? tools.map(toTemplateTool) : null,
        documents: null,
        add_generation_prompt: true,
      };
      try {
        return renderGenerously(tools.length > 0 ? withTools : plain, given, {
          ...given,
          messages: given.messages.map((message) => ({ content: '', ...message })),
          tools: given.tools?.map(completeTool) ?? null,
        });
      } catch (error) {
        throw new InferenceError(
          'invalid_request',
          `messages: the model's chat template refuses this conversation: ${(error as Error).message}`,
          { param: 'messages', cause: error },
        );
      }
    },
  };
}

function compile(source: string, path: string, now: () => Date): CompiledTemplate {
  try {
    return compileTemplate(source, now);
  } catch (error) {
    throw new InferenceError('invalid_request', `source: the chat template in ${path} is no valid Jinja`, {
      param: 'source',
      cause: error,
    });
  }
}

/** What a template refuses stays refused; what it merely stumbles over is tried again with the gaps filled. */
function renderGenerously({ render }: CompiledTemplate, given: Variables, completed: Variables): string {
  try {
    return render(given);
  } catch (error) {
    if (error instanceof TemplateRefusal) throw error;
    try {
      return render(completed);
    } catch {
      throw error;
    }
  }
}

function readSpecialTokens(tokenizerConfig: ModelFolder['tokenizerConfig']): Record<string, string> {
  const tokens: Record<string, string> = {};
  for (const kind of ['bos', 'eos', 'unk', 'sep', 'pad', 'cls', 'mask']) {
    const token = tokenizerConfig[`${kind}_token`];
    const text = typeof token === 'object' && token !== null && 'content' in token ? token.content : token;
    if (typeof text === 'string') tokens[`${kind}_token`] = text;
  }
  return tokens;
}

/** Mistral's templates raise an exception for ids of another length. */
function wantsShortIds(source: string): boolean {
  return /\|\s*length\s*!=\s*9\b/.test(source);
}

/** The same nine letters and digits for the same id, so that a conversation's prompt only ever grows. */
function toShortId(id: string): string {
  if (/^[A-Za-z\d]{9}$/.test(id)) return id;
  const digest = createHash('sha256').update(id).digest('hex');
  return BigInt(`0x${digest}`).toString(36).slice(-9);
}

function toTemplateMessage(message: ChatMessage, toCallId: (id: string) => string): Record<string, unknown> {
  if (message.role === 'tool') {
    return {
      role: 'tool',
      tool_call_id: toCallId(message.toolCallId),
      content: message.content,
      ...(message.name !== undefined && { name: message.name }),
    };
  }
  if (message.role !== 'assistant') {
    return {
      role: message.role,
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
        id: toCallId(call.id),
        type: 'function',
        function: { name: call.name, arguments: parseArguments(call.arguments) },
      })),
    }),
  };
}

/** Templates write arguments out as JSON, so they want the object; a text that is none is passed on as it is. */
function parseArguments(text: string): Value {
  if (text.trim() === '') return new Map();
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

function toTemplateTool({ name, description, parameters }: ToolDefinition) {
  return {
    type: 'function',
    function: { name, ...(description !== undefined && { description }), ...(parameters && { parameters }) },
  };
}

function completeTool({ type, function: definition }: ReturnType<typeof toTemplateTool>): unknown {
  const { name, description = '', parameters } = definition;
  return {
    type,
    function: { name, description, parameters: { type: 'object', properties: {}, ...parameters } },
  };
}
