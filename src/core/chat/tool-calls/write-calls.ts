import { orElse } from '../../text/or-else.ts';
import { countJson, maxArgumentValues } from '../../text/bounded-json.ts';
import { exactEntries, parseExact, writeExact } from '../../text/exact-json.ts';
import { typeOfValue } from '../../grammar/schemas/json-types.ts';
import type { ToolCallFormat, WrittenCall } from './format.ts';
import { attributeOf, type TaggedCallSyntax } from './tagged-calls.ts';

/** Writes arguments, given as JSON, in the notation of a format; `index` counts the calls of the answer. */
export type ArgumentsWriter = (text: string, index: number) => string;

/** Writes calls as models of a format do, for conversations whose template has no place for calls. */
export function writeCalls(
  { write, constraint }: Pick<ToolCallFormat, 'write' | 'constraint'>,
  calls: readonly WrittenCall[],
  writeArguments: ArgumentsWriter = (text) => text,
): string {
  if (write !== undefined) return write(calls);
  const texts = calls.map(({ name, arguments: text }, index) => {
    const { prefix, suffix } = constraint.call(name);
    return prefix + writeArguments(text, index) + suffix;
  });
  return constraint.begin + texts.join(constraint.separator ?? '\n') + constraint.end;
}

/** Members of a call's arguments; none where they are no JSON object. */
export function membersOf(text: string): [string, unknown][] {
  if (countJson(text, { values: maxArgumentValues }).fault !== undefined) return [];
  return orElse(() => exactEntries(parseExact(text) as object), []);
}

/** `a="x", n=1` */
export function writePythonArguments(text: string): string {
  return membersOf(text)
    .map(([key, value]) => `${key}=${toPython(value)}`)
    .join(', ');
}

/** A value as a literal of Python. */
export function toPython(value: unknown): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map(toPython).join(', ')}]`;
  if (typeof value !== 'object') return writeExact(value);
  const members = exactEntries(value).map(([key, member]) => `${JSON.stringify(key)}: ${toPython(member)}`);
  return `{${members.join(', ')}}`;
}

/** Parameters that have a tag each, from behind the name of the call on. */
export function writeTaggedArguments(text: string, syntax: TaggedCallSyntax, index: number): string {
  const { nameAttribute, nameEnd, parameterOpen, parameterNameEnd, parameterClose, callClose } = syntax;
  const padding = syntax.hasPaddedValues ? '\n' : '';
  const parameters = membersOf(text).map(([key, value]) => {
    const written = typeof value === 'string' ? value : writeExact(value);
    const type = typeOfValue(value);
    const attribute = attributeOf(type === 'integer' ? 'number' : type, syntax);
    const head = parameterOpen + key + attribute + parameterNameEnd.join('\n');
    return `${head}${padding}${written}${padding}${parameterClose}\n`;
  });
  const attribute = nameAttribute === undefined ? '' : `" ${nameAttribute}="${index + 1}"`;
  return `${attribute}${nameEnd.join('')}\n${parameters.join('')}${callClose}`;
}
