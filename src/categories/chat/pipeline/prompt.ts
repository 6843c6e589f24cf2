import type { ChatMessage, ToolDefinition } from '../../../core/chat/messages.ts';
import { mostFittingTool } from '../../../core/chat/tool-selection.ts';
import type { ChatTemplate } from '../../../models/chat-template.ts';
import type { ChatRequest } from '../request.ts';

/** A request whose messages are texts. */
export type TextRequest = Omit<ChatRequest, 'messages'> & { readonly messages: readonly ChatMessage[] };

export interface Prompt {
  readonly text: string;
  /** The tools that the model was told about. */
  readonly tools: readonly ToolDefinition[];
}

/**
 * Renders a request. Where a template refuses several tools, it is given the one that fits best: the one that has to
 * be called, else the one that has most in common with the last message of the user.
 *
 * @throws InferenceError `invalid_request` where the template refuses the conversation itself
 */
export function renderPrompt(request: TextRequest, template: ChatTemplate): Prompt {
  const tools = request.toolChoice === 'none' ? [] : request.tools;
  try {
    return { text: template.render(request.messages, tools), tools };
  } catch (error) {
    if (tools.length < 2) throw error;
    const single = [bestTool(request)];
    try {
      return { text: template.render(request.messages, single), tools: single };
    } catch {
      throw error;
    }
  }
}

function bestTool({ toolChoice, tools, messages }: TextRequest): ToolDefinition {
  const required = typeof toolChoice === 'object' && tools.find(({ name }) => name === toolChoice.name);
  return required || tools[mostFittingTool(tools, lastUserMessage(messages))]!;
}

function lastUserMessage(messages: readonly ChatMessage[]): string {
  return messages.findLast(({ role }) => role === 'user')?.content ?? '';
}
