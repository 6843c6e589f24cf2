import { Buffer } from 'node:buffer';
import {
  UnsupportedFunctionalityError,
  type LanguageModelV4FilePart,
  type LanguageModelV4Message,
  type LanguageModelV4Prompt,
  type LanguageModelV4TextPart,
  type LanguageModelV4ToolResultPart,
  type SharedV4Warning,
} from '@ai-sdk/provider';
import type {
  ChatMessage,
  ContentPart,
  ImageDetail,
  MessageContent,
  TextPart,
  ToolCall,
} from '../core/chat/messages.ts';

type Message = ChatMessage<MessageContent>;
type AssistantPart = Extract<LanguageModelV4Message, { role: 'assistant' }>['content'][number];
type FilePart = Pick<LanguageModelV4FilePart, 'data' | 'mediaType' | 'providerOptions'>;

/** A prompt of the SDK as the messages of a chat request. */
export interface Conversation {
  readonly messages: readonly Message[];
  /** The part of the prompt that each message came from, for errors: `prompt[2]`. */
  readonly places: readonly string[];
  /** Parts of the prompt that no message can hold. */
  readonly warnings: readonly SharedV4Warning[];
}

/**
 * The prompt of a call → messages.
 *
 * @throws UnsupportedFunctionalityError for a file that is neither a picture nor a text
 */
export function toMessages(prompt: LanguageModelV4Prompt): Conversation {
  const messages: Message[] = [];
  const places: string[] = [];
  const warnings: SharedV4Warning[] = [];
  for (const [index, message] of prompt.entries()) {
    for (const one of toTurn(message, warnings)) {
      messages.push(one);
      places.push(`prompt[${index}]`);
    }
  }
  return { messages, places, warnings };
}

function toTurn(message: LanguageModelV4Message, warnings: SharedV4Warning[]): Message[] {
  switch (message.role) {
    case 'system':
      return [{ role: 'system', content: message.content }];
    case 'user':
      return [{ role: 'user', content: message.content.map(toPart) }];
    case 'assistant':
      return toAssistant(message.content, warnings);
    case 'tool':
      // Approvals come with the result that they led to.
      return message.content.flatMap((part) => (part.type === 'tool-result' ? [toResult(part)] : []));
  }
}

/** Results of calls that another provider has carried out itself become messages after the assistant's. */
function toAssistant(parts: readonly AssistantPart[], warnings: SharedV4Warning[]): Message[] {
  const texts: TextPart[] = [];
  const thoughts: string[] = [];
  const toolCalls: ToolCall[] = [];
  const results: Message[] = [];
  for (const part of parts) {
    if (part.type === 'text') texts.push({ type: 'text', text: part.text });
    else if (part.type === 'reasoning') thoughts.push(part.text);
    else if (part.type === 'tool-call')
      toolCalls.push({ id: part.toolCallId, name: part.toolName, arguments: JSON.stringify(part.input) });
    else if (part.type === 'tool-result') results.push(toResult(part));
    else warnings.push({ type: 'unsupported', feature: `${part.type} parts of the assistant` });
  }
  const content = texts.length > 0 ? texts : toolCalls.length > 0 ? null : '';
  const assistant: Message = {
    role: 'assistant',
    content,
    ...(thoughts.length > 0 && { reasoningContent: thoughts.join('\n') }),
    ...(toolCalls.length > 0 && { toolCalls }),
  };
  return [assistant, ...results];
}

function toResult({ toolCallId, toolName, output }: LanguageModelV4ToolResultPart): Message {
  return { role: 'tool', toolCallId, name: toolName, content: toResultContent(output) };
}

function toResultContent(output: LanguageModelV4ToolResultPart['output']): MessageContent {
  switch (output.type) {
    case 'text':
    case 'error-text':
      return output.value;
    case 'json':
    case 'error-json':
      return JSON.stringify(output.value);
    case 'execution-denied':
      return output.reason ?? 'The user denied the call.';
    case 'content':
      return output.value.flatMap((part) => (part.type === 'custom' ? [] : [toPart(part)]));
  }
}

function toPart(part: LanguageModelV4TextPart | ({ type: 'file' } & FilePart)): ContentPart {
  return part.type === 'text' ? { type: 'text', text: part.text } : toFile(part);
}

function toFile({ data, mediaType, providerOptions }: FilePart): ContentPart {
  if (data.type === 'text') return { type: 'text', text: data.text };
  const [kind] = mediaType.split('/');
  if (data.type !== 'reference' && kind === 'image') {
    const detail = providerOptions?.['slashv1']?.['detail'] as ImageDetail | undefined;
    return { type: 'image', image: data.type === 'url' ? data.url.href : data.data, detail };
  }
  if (data.type === 'data' && kind === 'text') return { type: 'text', text: decode(data.data) };
  const where = data.type === 'data' ? '' : ` by ${data.type}`;
  throw new UnsupportedFunctionalityError({ functionality: `files of the type ${mediaType}${where}` });
}

function decode(data: string | Uint8Array): string {
  return new TextDecoder().decode(typeof data === 'string' ? Buffer.from(data, 'base64') : data);
}
