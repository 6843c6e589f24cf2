import type { ModelFormats } from '../../../../core/chat/formats.ts';
import type { AnswerConstraint, CallConstraint } from '../../../../core/grammar/constraint.ts';
import type { ToolDefinition } from '../../../../core/chat/messages.ts';
import type { ChatRequest } from '../../request.ts';

export interface AnswerSetting {
  readonly tools: readonly ToolDefinition[];
  readonly prompt: string;
  readonly formats: ModelFormats;
  readonly thinks: boolean;
  readonly opensObjects: boolean | undefined;
}

export function answerConstraint(request: ChatRequest, setting: AnswerSetting): AnswerConstraint {
  const { prompt, formats, thinks, opensObjects } = setting;
  const calls = callConstraint(request, setting);
  const reasoning = formats.reasoning.constraint(prompt);
  const mayThink = thinks || reasoning.startsOpen;
  return {
    response: request.responseFormat,
    calls,
    reasoning: mayThink ? reasoning : undefined,
    opensObjects,
  };
}

function callConstraint(
  { toolChoice, parallelToolCalls, tools: all }: ChatRequest,
  { tools, formats }: AnswerSetting,
): CallConstraint | undefined {
  const format = formats.toolCalls?.constraint;
  if (!format || toolChoice === 'none' || all.length === 0) return undefined;
  const isRequired = toolChoice === 'required';
  if (isRequired || toolChoice === 'auto') {
    // Small models repeat a required call until they hit the limit.
    const parallel = parallelToolCalls ?? !isRequired;
    return { tools, choice: isRequired ? 'required' : 'optional', parallel, format };
  }
  return {
    tools: tools.filter(({ name }) => name === toolChoice.name),
    choice: 'once',
    parallel: false,
    format,
  };
}
