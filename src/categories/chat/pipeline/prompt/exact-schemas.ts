import type { ToolDefinition } from '../../../../core/chat/messages.ts';
import { parseExact } from '../../../../core/text/exact-json.ts';
import type { ChatRequest } from '../../request.ts';

/** Reads the schemas of a request from their texts, where it has them. */
export function withExactSchemas<Request extends Pick<ChatRequest, 'tools' | 'responseFormat'>>(
  request: Request,
): Request {
  const { tools, responseFormat: format } = request;
  const text = format.type === 'json-schema' ? format.schemaText : undefined;
  const responseFormat = text === undefined ? format : { ...format, schema: parseExact(text) };
  return { ...request, tools: tools.map(exactTool), responseFormat };
}

function exactTool(tool: ToolDefinition): ToolDefinition {
  const { parametersText: text } = tool;
  return text === undefined
    ? tool
    : { ...tool, parameters: parseExact(text) as ToolDefinition['parameters'] };
}
