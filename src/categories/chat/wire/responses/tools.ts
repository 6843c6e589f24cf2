import { fieldError } from '../../../../errors.ts';
import type { ToolSelection } from '../request-parts.ts';
import type { ModelResponse, ResponsesRequestBody } from './schema.ts';

type Tools = NonNullable<ResponsesRequestBody['tools']>;
type OfferedTool = ModelResponse['tools'][number];
type FunctionTool = Extract<OfferedTool, { type: 'function' }>;

/** A function of a namespace, as clients call it. */
export interface NamespacedName {
  readonly namespace: string;
  readonly name: string;
}

interface ToolName {
  readonly namespace?: string | null | undefined;
  readonly name: string;
}

export type ShownTools = ReturnType<typeof showTools>;

export function shownName({ namespace, name }: ToolName): string {
  if (namespace == null) return name;
  return namespace.endsWith('__') ? namespace + name : `${namespace}__${name}`;
}

/** Skips tool types other than functions. */
export function showTools(tools: Tools) {
  const functions: Omit<FunctionTool, 'type'>[] = [];
  /** Types of tools that local models don't have. */
  const skipped = new Set<string>();
  /** Name shown to the model → function of a namespace. */
  const namespaced = new Map<string, NamespacedName>();
  for (const tool of tools) {
    if (isFunction(tool)) functions.push(tool);
    else if (!isNamespace(tool)) skipped.add(tool.type);
    else {
      for (const member of tool.tools) {
        if (!isFunction(member)) {
          skipped.add(member.type);
          continue;
        }
        const names = { namespace: tool.name, name: member.name };
        namespaced.set(shownName(names), names);
        functions.push({ ...member, name: shownName(names) });
      }
    }
  }
  return { functions, skipped: [...skipped], namespaced };
}

export function offeredTools(tools: Tools): OfferedTool[] {
  return tools.flatMap((tool): OfferedTool[] => {
    if (isNamespace(tool)) return [tool];
    if (!isFunction(tool)) return [];
    const { type, name, description = null, parameters = null, strict = null } = tool;
    return [{ type, name, description, parameters, strict }];
  });
}

/** @throws InferenceError `invalid_request` if a call is required and no allowed tool is a function */
export function toSelection(choice: ResponsesRequestBody['tool_choice']): ToolSelection {
  if (choice == null || typeof choice === 'string') return choice;
  if (choice.type === 'function') return { name: shownName(choice) };
  const { mode } = choice;
  const names = choice.tools.flatMap(({ type, name, namespace }) =>
    type === 'function' && name != null ? [shownName({ name, namespace })] : [],
  );
  if (names.length > 0) return { mode, names };
  if (mode === 'auto') return 'none';
  throw fieldError('tool_choice.tools', 'expected a function if a call is required');
}

function isFunction(tool: Tools[number]): tool is FunctionTool {
  return tool.type === 'function';
}

function isNamespace(tool: Tools[number]): tool is Extract<OfferedTool, { type: 'namespace' }> {
  return tool.type === 'namespace';
}
