import { z } from 'zod';
import { fieldError } from '../../errors.ts';
import { describeValue } from '../../core/text/quote.ts';
import type { InputsOf, SchemaOf } from '../../validation/setting-table.ts';

/** A text, or token ids of the model's tokenizer. */
export type RawPrompt = string | readonly number[];

/** Max number of prompts per request. */
export const maxPrompts = 128;

const rawPrompt: SchemaOf<RawPrompt> = z.union([z.string(), z.array(z.int().min(0))], {
  error: 'expected a text or token ids',
});

export const promptFields = {
  /**
   * At most 128, in place of `messages`, which must be empty; no chat template is applied. Each prompt is continued `n` times;
   * choices `n` to `2n − 1` continue the second prompt. Thinking and tool calls aren't parsed.
   */
  prompts: z.array(rawPrompt).default([]),
  /** Text after the answer; for models with fill-in-the-middle tokens. */
  suffix: z.string().optional(),
  /** Adds the tokenizer's special tokens; default: for `prompts`, not for `messages`. */
  addSpecialTokens: z.boolean().optional(),
  /**
   * Emits an event per prompt: its `text` and tokens; also the `spelling` of each token; or also the `logprobs` of the tokens of
   * `prompts`, with `topLogprobs` alternatives.
   */
  echo: z.enum(['text', 'spelling', 'logprobs']).optional(),
  /** Ends the request before the answer: after its prompts are encoded, or after they are read. */
  stopAfter: z.enum(['encoding', 'prompt']).optional(),
};

/** Fields that apply only to messages, with their wire names. */
const messageFields = {
  tools: 'tools',
  toolChoice: 'tool_choice',
  parallelToolCalls: 'parallel_tool_calls',
  documents: 'documents',
  chatTemplateKwargs: 'chat_template_kwargs',
  enableThinking: 'enable_thinking',
  reasoningEffort: 'reasoning_effort',
  continueFinalMessage: 'continue_final_message',
  addGenerationPrompt: 'add_generation_prompt',
} as const;

interface PromptedRequest
  extends InputsOf<typeof promptFields>, Partial<Record<keyof typeof messageFields, unknown>> {
  readonly messages: readonly unknown[];
  readonly truncatePromptTokens?: number;
}

export function assertPrompts(input: PromptedRequest): void {
  const { prompts = [], suffix, echo, messages, truncatePromptTokens = 0 } = input;
  if (prompts.length === 0) {
    if (messages.length === 0) throw fieldError('messages', 'expected at least one message');
    if (suffix !== undefined) throw fieldError('suffix', 'expected a prompt instead of messages with it');
    if (echo === 'logprobs')
      throw fieldError('echo', 'expected log probabilities of a prompt, not of messages');
    return;
  }
  if (prompts.length > maxPrompts)
    throw fieldError('prompt', `expected at most ${maxPrompts} prompts, got ${prompts.length}`);
  if (messages.length > 0) throw fieldError('messages', 'not allowed with a prompt');
  for (const [name, wireName] of Object.entries(messageFields)) {
    const value = input[name as keyof typeof messageFields];
    if (value !== undefined && value !== false)
      throw fieldError(wireName, `not allowed with a prompt, got ${describeValue(value)}`);
  }
  if (suffix === undefined) return;
  if (echo !== undefined) throw fieldError('suffix', 'not allowed with an echoed prompt');
  if (truncatePromptTokens !== 0) throw fieldError('truncate_prompt_tokens', 'expected 0 with a suffix');
}
