import type { ModelFormats } from '../../../core/chat/formats.ts';
import type { AnswerConstraint, CallConstraint } from '../../../core/chat/grammar/constraint.ts';
import type { ToolDefinition } from '../../../core/chat/messages.ts';
import type { ChatRequest } from '../request.ts';

export interface AnswerSetting {
  /** The tools that the prompt describes. */
  readonly tools: readonly ToolDefinition[];
  /** The rendered prompt. */
  readonly prompt: string;
  readonly formats: ModelFormats;
  /** Whether the model is known to think. */
  readonly thinks: boolean;
}

/** The grammar that a request puts on the answer. */
export function answerConstraint(request: ChatRequest, setting: AnswerSetting): AnswerConstraint {
  const { prompt, formats, thinks } = setting;
  const calls = callConstraint(request, setting);
  const reasoning = formats.reasoning.constraint(prompt);
  const mayThink = thinks || reasoning.startsOpen;
  return { response: request.responseFormat, calls, reasoning: mayThink ? reasoning : undefined };
}

function callConstraint(
  { toolChoice, parallelToolCalls: parallel, tools: all }: ChatRequest,
  { tools, formats }: AnswerSetting,
): CallConstraint | undefined {
  const format = formats.toolCalls?.constraint;
  if (!format || toolChoice === 'none' || all.length === 0) return undefined;
  if (toolChoice === 'auto') return { tools, choice: 'optional', parallel, format };
  if (toolChoice === 'required') return { tools, choice: 'required', parallel, format };
  return {
    tools: tools.filter(({ name }) => name === toolChoice.name),
    choice: 'once',
    parallel: false,
    format,
  };
}
