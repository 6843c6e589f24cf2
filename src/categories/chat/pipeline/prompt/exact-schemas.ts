import type { ToolDefinition } from '../../../../core/chat/messages.ts';
import { exactOr } from '../../../../core/text/exact-json.ts';
import type { ChatRequest } from '../../request.ts';

/** Reads the schemas of a request from their texts, where it has them. */
export function withExactSchemas<Request extends Pick<ChatRequest, 'tools' | 'responseFormat'>>(
  request: Request,
): Request {
  const { tools, responseFormat: format } = request;
  const responseFormat =
    format.type === 'json-schema' ? { ...format, schema: exactOr(format.schema, format.schemaText) } : format;
  return { ...request, tools: tools.map(exactTool), responseFormat };
}

function exactTool(tool: ToolDefinition): ToolDefinition {
  const { parameters, parametersText: text } = tool;
  // Templates of the setting `toolPrompt` see which members there are.
  return text === undefined ? tool : { ...tool, parameters: exactOr(parameters, text) };
}
