import { renameFields } from '../../../../errors.ts';

/** The fields of a chat completion that the same fault has another name for here. */
const names: readonly (readonly [RegExp, string])[] = [
  [/^tools\[(\d+)\]\.function\b/, 'tools[$1]'],
  [/^tool_choice\.function\b/, 'tool_choice'],
  [/^response_format(?:\.json_schema)?\b/, 'text.format'],
  [/^(?:max_tokens|max_completion_tokens)\b/, 'max_output_tokens'],
  [/^reasoning_effort\b/, 'reasoning.effort'],
  [/^verbosity\b/, 'text.verbosity'],
];

/** A field of a chat completion as `POST /responses` spells it. @param places where each message came from */
export function toResponsesField(field: string, places: readonly string[]): string {
  const [whole, index, part = ''] = /^messages(?:\[(\d+)\](\.content\[\d+\])?)?/.exec(field) ?? [];
  if (whole !== undefined) {
    const place = index === undefined ? undefined : places[Number(index)];
    return place !== undefined && /^input\[\d+\]$/.test(place) ? place + part : (place ?? 'input');
  }
  return names.reduce((name, [pattern, replacement]) => name.replace(pattern, replacement), field);
}

/** An error about a chat completion, about the request that it was made of. */
export function toResponsesError(thrown: unknown, places: readonly string[]): unknown {
  return renameFields(thrown, (field) => toResponsesField(field, places));
}
