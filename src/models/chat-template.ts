import { Template } from '@huggingface/jinja';
import { InferenceError } from '../errors.ts';
import type { ChatMessage, ToolDefinition } from '../core/chat/messages.ts';
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

/**
 * Compiles a model's chat template; with tools its `tool_use` variant where it has one.
 *
 * @throws InferenceError `invalid_request` if the model has none or it is no valid Jinja
 */
export function createChatTemplate({ chatTemplate, tokenizerConfig, path }: ModelFolder): ChatTemplate {
  if (chatTemplate === undefined) {
    throw new InferenceError('invalid_request', `source: the model in ${path} has no chat template`, {
      param: 'source',
    });
  }
  const named = typeof chatTemplate === 'string' ? { default: chatTemplate } : chatTemplate;
  const plain = compile(named['default'] ?? Object.values(named)[0] ?? '', path);
  const withTools = named['tool_use'] === undefined ? plain : compile(named['tool_use'], path);
  const specialTokens = Object.fromEntries(
    ['bos_token', 'eos_token', 'unk_token', 'pad_token'].map((name) => [name, contentOf(tokenizerConfig[name])]),
  );
  return {
    source: Object.values(named).join('\n'),
    supportsTools: /\btools\b/.test(Object.values(named).join('\n')),
    render(messages, tools) {
      const template = tools.length > 0 ? withTools : plain;
      try {
        return template.render({
          ...specialTokens,
          messages: messages.map(toTemplateMessage),
          ...(tools.length > 0 && { tools: tools.map(toTemplateTool) }),
          add_generation_prompt: true,
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

function compile(source: string, path: string): Template {
  try {
    return new Template(source);
  } catch (error) {
    throw new InferenceError('invalid_request', `source: the chat template in ${path} is no valid Jinja`, {
      param: 'source',
      cause: error,
    });
  }
}

/** A special token is written as a string or as an added-token object. */
function contentOf(token: unknown): unknown {
  return typeof token === 'object' && token !== null && 'content' in token ? token.content : token;
}

function toTemplateMessage(message: ChatMessage): Record<string, unknown> {
  if (message.role === 'tool') {
    return {
      role: 'tool',
      content: message.content,
      tool_call_id: message.toolCallId,
      ...(message.name !== undefined && { name: message.name }),
    };
  }
  if (message.role !== 'assistant') return { role: message.role, content: message.content };
  return {
    role: 'assistant',
    content: message.content ?? '',
    ...(message.reasoningContent !== undefined && { reasoning_content: message.reasoningContent }),
    ...(message.toolCalls?.length && {
      tool_calls: message.toolCalls.map((call) => ({
        id: call.id,
        type: 'function',
        function: { name: call.name, arguments: parseArguments(call.arguments) },
      })),
    }),
  };
}

/** Templates write arguments out as JSON, so they want the object; a text that is none is passed on as it is. */
function parseArguments(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

function toTemplateTool({ name, description, parameters }: ToolDefinition): Record<string, unknown> {
  return {
    type: 'function',
    function: {
      name,
      ...(description !== undefined && { description }),
      parameters: parameters ?? { type: 'object', properties: {} },
    },
  };
}
