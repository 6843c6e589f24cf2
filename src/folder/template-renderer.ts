import {
  splitAtPictures,
  pictureMark,
  type ChatMessage,
  type ToolDefinition,
} from '../core/chat/messages.ts';
import { TooManySteps } from '../core/jinja/budget.ts';
import { parseJson } from '../core/jinja/json.ts';
import { toJson } from '../core/jinja/printing.ts';
import { strftime } from '../core/jinja/strftime.ts';
import { TemplateRefusal, type CompiledTemplate } from '../core/jinja/template.ts';
import { toValue, type Value } from '../core/jinja/values.ts';
import { runSteps } from '../core/run-steps.ts';
import { orElse } from '../errors.ts';

export type Variables = Readonly<Record<string, unknown>>;
type TemplateTool = ReturnType<typeof toTemplateTool>;
/** Names under which a template is given the tools. */
export type ToolFeed = (tools: readonly TemplateTool[] | null, now: () => Date) => Variables;

/** The usual name, and those of SmolLM3 and of FireFunction v2, which wants text. The first that shows a tool is used. */
export const toolFeeds: readonly ToolFeed[] = [
  (tools) => ({ tools }),
  (tools) => ({ tools, xml_tools: tools }),
  (tools, now) => ({
    tools,
    functions: toJson(toValue((tools ?? []).map((tool) => tool.function)), { indent: 4 }),
    datetime: strftime(now(), '%Y-%m-%d %H:%M:%S'),
  }),
  (tools) => ({ tools, functions: tools?.map((tool) => tool.function) ?? null }),
];

/** The parts that templates are rendered with. */
export interface TemplateParts {
  /** Without tools. */
  readonly plain: CompiledTemplate;
  readonly withTools: CompiledTemplate;
  readonly specialTokens: Readonly<Record<string, string>>;
  readonly now: () => Date;
}

/** Renders conversations in the form that a template wants; its fields say which, as far as that was found out. */
export class TemplateRenderer {
  feed: ToolFeed = toolFeeds[0]!;
  /** Whether contents are lists of parts: templates of models for pictures may read no others. */
  readsParts = false;
  /** Templates may want arguments as an object or as its text. */
  argumentsOf: (text: string) => Value = parseArguments;
  toCallIds: ((messages: readonly ChatMessage[]) => readonly ChatMessage[]) | undefined;
  readonly #parts: TemplateParts;
  /** A slow template is not rendered again, because each rendering takes seconds. */
  #isSlow = false;

  constructor(parts: TemplateParts, toCallIds: TemplateRenderer['toCallIds']) {
    this.#parts = parts;
    this.toCallIds = toCallIds;
  }

  /** `undefined` where the template refuses the conversation. */
  tryRender(...args: Parameters<TemplateRenderer['renderSteps']>): string | undefined {
    try {
      return this.#isSlow ? undefined : runSteps(this.renderSteps(...args));
    } catch (error) {
      this.#isSlow ||= error instanceof TooManySteps;
      return undefined;
    }
  }

  renderSteps(
    messages: readonly ChatMessage[],
    tools: readonly ToolDefinition[],
    variables: Variables = {},
  ): Generator<void, string> {
    const { plain, withTools, specialTokens, now } = this.#parts;
    const given = {
      ...specialTokens,
      messages: (this.toCallIds?.(messages) ?? messages).map((message) => this.#toTemplateMessage(message)),
      documents: null,
      add_generation_prompt: true,
    };
    const fed = { ...this.feed(tools.length > 0 ? tools.map(toExactTool) : null, now), ...variables };
    const complete = (): Variables[] => {
      const messagesFilled = given.messages.map((message) => Object.assign({ content: '' }, message));
      const whole = tools.map((tool) => completeTool(toTemplateTool(tool)));
      const fuller = [whole, whole.map((tool) => describeParameters(tool))];
      const feeds = fuller.map((all) => Object.assign({}, this.feed(all, now), variables));
      // The first with the same tools, so that the prompts of a conversation begin alike.
      return [fed, ...feeds].map((feed) => Object.assign({}, given, { messages: messagesFilled }, feed));
    };
    return renderGenerously(tools.length > 0 ? withTools : plain, { ...given, ...fed }, complete);
  }

  #toTemplateMessage(message: ChatMessage): Record<string, unknown> {
    if (message.role !== 'assistant') {
      return {
        role: message.role,
        ...(message.role === 'tool' && { tool_call_id: message.toolCallId }),
        content: this.#toParts(message.content),
        ...(message.name !== undefined && { name: message.name }),
      };
    }
    const { content, reasoningContent, toolCalls } = message;
    return {
      ...(reasoningContent !== undefined && { thinking: reasoningContent }),
      role: 'assistant',
      ...(content !== null && { content: this.#toParts(content) }),
      ...(reasoningContent !== undefined && { reasoning_content: reasoningContent }),
      ...(toolCalls?.length && {
        tool_calls: toolCalls.map((call) => ({
          id: call.id,
          type: 'function',
          function: { name: call.name, arguments: this.argumentsOf(call.arguments) },
        })),
      }),
    };
  }

  #toParts(content: string) {
    return this.readsParts || content.includes(pictureMark) ? splitAtPictures(content) : content;
  }
}

/** A refusal of the template stays; a conversation that it merely stumbles over is tried again with the gaps filled. */
function* renderGenerously(
  { renderSteps }: CompiledTemplate,
  given: Variables,
  complete: () => readonly Variables[],
): Generator<void, string> {
  try {
    return yield* renderSteps(given);
  } catch (error) {
    if (error instanceof TemplateRefusal || error instanceof TooManySteps) throw error;
    for (const filled of complete()) {
      try {
        return yield* renderSteps(filled, { mayChange: true });
      } catch {
        // Others are fuller.
      }
    }
    throw error;
  }
}

/** Templates write arguments out as JSON, so they want the object; a text that is none is passed on as it is. */
export function parseArguments(text: string): Value {
  return text.trim() === '' ? new Map() : orElse(() => parseJson(text), text);
}

function toTemplateTool({ name, description, parameters }: ToolDefinition) {
  return {
    type: 'function',
    function: { name, ...(description !== undefined && { description }), ...(parameters && { parameters }) },
  };
}

/** Templates write numbers and keys as they were sent. */
function toExactTool(tool: ToolDefinition): TemplateTool {
  const { parametersText } = tool;
  return toTemplateTool(
    parametersText === undefined ? tool : { ...tool, parameters: parseJson(parametersText) as never },
  );
}

/** Gives it the members that templates look for. */
function completeTool({ type, function: definition }: TemplateTool): TemplateTool {
  const { name, description = '', parameters = {} } = definition;
  const { type: kind = 'object', properties = {} } = parameters;
  return { type, function: { name, description, parameters: { ...parameters, type: kind, properties } } };
}

function describeParameters({ type, function: definition }: TemplateTool): TemplateTool {
  const properties = Object.entries(definition.parameters?.['properties'] ?? {});
  const described = properties.map(([key, own]: [string, object]) => [key, { description: '', ...own }]);
  const parameters = { ...definition.parameters, properties: Object.fromEntries(described) };
  return { type, function: { ...definition, parameters } };
}
