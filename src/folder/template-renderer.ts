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
/** The variables through which a template receives the tools. */
export type ToolFeed = (tools: readonly TemplateTool[] | null, now: () => Date) => Variables;

/**
 * The common name, and the names of SmolLM3 and of FireFunction v2, which expects text. The first one that shows a tool
 * is used.
 */
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

/** The parts for rendering templates. */
export interface TemplateParts {
  /** Without tools. */
  readonly plain: CompiledTemplate;
  readonly withTools: CompiledTemplate;
  readonly specialTokens: Readonly<Record<string, string>>;
  readonly now: () => Date;
}

/** Renders conversations in the form that a template requires; its fields hold the detected form. */
export class TemplateRenderer {
  feed: ToolFeed = toolFeeds[0]!;
  /** Whether contents are lists of parts: templates of vision models may not support any other form. */
  readsParts = false;
  /** Templates may expect arguments as an object or as text. */
  argumentsOf: (text: string) => Value = parseArguments;
  toCallIds: ((messages: readonly ChatMessage[]) => readonly ChatMessage[]) | undefined;
  readonly #parts: TemplateParts;
  /** A slow template isn't rendered again, because each rendering takes seconds. */
  #isSlow = false;

  constructor(parts: TemplateParts, toCallIds: TemplateRenderer['toCallIds']) {
    this.#parts = parts;
    this.toCallIds = toCallIds;
  }

  /** `undefined` if the template rejects the conversation. */
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
    const shown: Variables[] = [];
    for (const message of this.toCallIds?.(messages) ?? messages)
      shown.push(this.#toTemplateMessage(message));
    const given = { ...specialTokens, messages: shown, documents: null, add_generation_prompt: true };
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

/** A rejection by the template is final; after any other error the rendering is retried with missing members filled in. */
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
        // Retry with more complete variables.
      }
    }
    throw error;
  }
}

/** Templates write arguments as JSON, so they expect the object; invalid JSON is passed as text. */
export function parseArguments(text: string): Value {
  return text.trim() === '' ? new Map() : orElse(() => parseJson(text), text);
}

function toTemplateTool({ name, description, parameters }: ToolDefinition) {
  return {
    type: 'function',
    function: { name, ...(description !== undefined && { description }), ...(parameters && { parameters }) },
  };
}

/** Templates write numbers and keys exactly as they were sent. */
function toExactTool(tool: ToolDefinition): TemplateTool {
  const { parametersText } = tool;
  return toTemplateTool(
    parametersText === undefined ? tool : { ...tool, parameters: parseJson(parametersText) as never },
  );
}

/** Adds the members that templates read. */
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
