import { describeTools, instruct, writeToolTurns } from '../core/chat/tool-prompt.ts';
import type { ModelFormats } from '../core/chat/formats.ts';
import type { ToolDefinition } from '../core/chat/messages.ts';
import { hermesFormat } from '../core/chat/tool-calls/rows.ts';
import type { ToolCallFormat } from '../core/chat/tool-calls/format.ts';
import { abbreviate } from '../core/text/quote.ts';
import { fieldError } from '../errors.ts';
import { withRender, type ChatTemplate } from './chat-template.ts';
import { compileTemplate } from '../core/jinja/template.ts';

export interface ToolTemplateSettings {
  /** `false` rejects tools. Default true. */
  readonly tools?: boolean | undefined;
  /**
   * A prompt about tools that replaces the template's own: Jinja with the variable `tools`, a list of function definitions.
   */
  readonly toolPrompt?: string | undefined;
}

/** A model's template and formats, adapted for tools. */
export interface ToolTemplate {
  readonly template: ChatTemplate;
  readonly formats: ModelFormats;
}

/**
 * Adds tool support to a model without it in the template, or with calls that can't be parsed: an instruction describes the
 * tools, and calls use the template's format or, without one, the Hermes format. Past calls and results that the
 * template would lose become plain messages. The remaining models stay unchanged.
 */
export function withTools(
  { template, formats }: ToolTemplate,
  { tools: isAllowed = true, toolPrompt }: ToolTemplateSettings,
): ToolTemplate {
  if (!isAllowed)
    return { template: { ...template, supportsTools: false }, formats: { ...formats, toolCalls: undefined } };
  const format = formats.toolCalls ?? hermesFormat;
  const rendersTools = toolPrompt === undefined && template.supportsTools && formats.toolCalls !== undefined;
  if (rendersTools && template.showsCalls) return { template, formats };
  const describe = rendersTools ? undefined : describer(format, toolPrompt);
  return {
    formats: { ...formats, toolCalls: format },
    template: withRender({
      ...template,
      supportsTools: true,
      turnFates(options) {
        const fates = template.turnFates(describe ? { hasTools: false } : options);
        return template.showsCalls ? fates : { ...fates, ...writtenCalls };
      },
      renderSteps(messages, tools, variables, merged) {
        const turns = template.showsCalls ? messages : writeToolTurns(messages, format);
        if (turns.some((turn, index) => turn !== messages[index])) merged?.add('tool-result');
        if (describe === undefined || tools.length === 0)
          return template.renderSteps(turns, tools, variables, merged);
        return template.renderSteps(instruct(turns, describe(tools), template), [], variables, merged);
      },
    }),
  };
}

/** How calls and results are treated under a template that would lose them. */
const writtenCalls = { 'tool-result': 'merged', 'parallel-calls': 'merged' } as const;

type Describe = (tools: readonly ToolDefinition[]) => string;

function describer(format: ToolCallFormat, toolPrompt: string | undefined): Describe {
  try {
    if (toolPrompt !== undefined) {
      const { render } = compileTemplate(toolPrompt, () => new Date());
      return (tools) => render({ tools });
    }
    describeTools([], format);
    return (tools) => describeTools(tools, format);
  } catch (error) {
    const param = toolPrompt === undefined ? 'toolCallFormat' : 'toolPrompt';
    const reason = (error as Error).message.replace(`${param}: `, '');
    throw fieldError(param, abbreviate(reason, 200), { cause: error });
  }
}
