import { renameFields } from '../../../../errors.ts';

const names: readonly (readonly [RegExp, string])[] = [
  [/^tools\[(\d+)\]\.function\.parameters\b/, 'tools[$1].input_schema'],
  [/^tools\[(\d+)\]\.function\b/, 'tools[$1]'],
  [/^tool_choice\.function\b/, 'tool_choice'],
  [/^parallel_tool_calls\b/, 'tool_choice.disable_parallel_tool_use'],
  [/^stop\b/, 'stop_sequences'],
  [/^enable_thinking\b/, 'thinking'],
  [/^reasoning_effort\b/, 'output_config.effort'],
  [/^response_format(?:\.json_schema)?\b/, 'output_config.format'],
];

/** An error about a chat completion, about the message that it was made of. @param places where each message came from */
export function toMessagesError(thrown: unknown, places: readonly string[]): unknown {
  return renameFields(thrown, (field) => {
    const [whole, index] = /^messages(?:\[(\d+)\])?(?:\..*)?$/.exec(field) ?? [];
    if (whole !== undefined) return (index === undefined ? undefined : places[Number(index)]) ?? 'messages';
    return names.reduce((name, [pattern, replacement]) => name.replace(pattern, replacement), field);
  });
}
