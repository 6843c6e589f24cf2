import { chatParameters } from '../../parameters.ts';
import type { AnswerHead } from '../chat/print.ts';
import type { ResponsesCall } from './read.ts';
import type { ResponseHead } from './print.ts';
import { offeredTools } from './tools.ts';

/**
 * The response fields known before the answer: they repeat the request and its defaults.
 *
 * @example
 * ```ts
 * const call = fromResponsesRequest({ model: 'tiny-chat', input: 'Hello' });
 * toResponseHead(call, { id: 'resp_1', created: 0, model: 'tiny-chat' }).temperature; // 0.7
 * ```
 */
export function toResponseHead(
  { body, request, store, before: { conversation } }: ResponsesCall,
  { id, created, model }: AnswerHead,
): ResponseHead {
  const valueOf = (
    name: 'temperature' | 'topP' | 'maxTokens' | 'topLogprobs' | 'presencePenalty' | 'frequencyPenalty',
  ): number => request[name] ?? chatParameters[name].default;
  return {
    id,
    object: 'response',
    created_at: created,
    model,
    instructions: body.instructions ?? null,
    max_output_tokens: valueOf('maxTokens'),
    metadata: body.metadata ?? {},
    parallel_tool_calls: body.parallel_tool_calls ?? body.tool_choice !== 'required',
    reasoning: { effort: body.reasoning?.effort ?? null, summary: null },
    temperature: valueOf('temperature'),
    text: { format: body.text?.format ?? { type: 'text' } },
    tool_choice: body.tool_choice ?? 'auto',
    tools: offeredTools(body.tools ?? []),
    top_logprobs: valueOf('topLogprobs'),
    top_p: valueOf('topP'),
    background: body.background === true,
    previous_response_id: body.previous_response_id ?? null,
    ...(conversation && { conversation: { id: conversation.id } }),
    store,
    truncation: 'disabled',
    presence_penalty: valueOf('presencePenalty'),
    frequency_penalty: valueOf('frequencyPenalty'),
    max_tool_calls: body.max_tool_calls ?? null,
    service_tier: 'default',
    safety_identifier: body.safety_identifier ?? null,
    prompt_cache_key: body.prompt_cache_key ?? null,
  };
}
