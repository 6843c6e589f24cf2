import { assertList, assertObject, assertText } from '../assert-values.ts';
import type { ToolDefinition } from './messages.ts';

/** Weight of a word of the message by its place in a tool's definition. */
const weights = { name: 3, parameter: 2, description: 1 } as const;

/**
 * Index of the tool that fits a message best, for models that take only one: its name, parameter names and description share most
 * words with the message. A word that several tools share counts less for each of them.
 * Default: the first tool.
 *
 * @throws RangeError for an empty list
 *
 * @example
 * ```ts
 * bestFittingTool([{ name: 'get_time' }, { name: 'get_weather' }], 'How is the weather in Paris?'); // 1
 * ```
 */
export function bestFittingTool(tools: readonly ToolDefinition[], lastUserMessage: string): number {
  assertList('tools', tools, assertTool);
  assertText('lastUserMessage', lastUserMessage);
  if (tools.length === 0) throw new RangeError('tools: expected at least one, got none');
  const messageWords = new Set(wordsOf(lastUserMessage));
  const weightsByTool = tools.map(wordWeights);
  const toolsByWord = new Map<string, number>();
  for (const words of weightsByTool) {
    for (const word of words.keys()) toolsByWord.set(word, (toolsByWord.get(word) ?? 0) + 1);
  }
  const scores = weightsByTool.map((words) => {
    const shared = [...words].filter(([word]) => messageWords.has(word));
    return shared.reduce((score, [word, weight]) => score + weight / toolsByWord.get(word)!, 0);
  });
  return scores.indexOf(Math.max(...scores));
}

function assertTool(label: string, tool: unknown): void {
  assertObject(label, tool);
  const { name, description, parameters } = tool as ToolDefinition;
  assertText(`${label}.name`, name);
  if (description !== undefined) assertText(`${label}.description`, description);
  if (parameters !== undefined) assertObject(`${label}.parameters`, parameters);
}

/** Each word of a definition with the highest weight of its places. */
function wordWeights({ name, description, parameters }: ToolDefinition): Map<string, number> {
  const properties = parameters?.properties;
  const parameterNames = typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
  const words = new Map<string, number>();
  for (const word of wordsOf(description ?? '')) words.set(word, weights.description);
  for (const word of parameterNames.flatMap(wordsOf)) words.set(word, weights.parameter);
  for (const word of wordsOf(name)) words.set(word, weights.name);
  return words;
}

/** Too common to distinguish tools. */
const functionWords = new Set(
  'a an and are as at be by can do does for from has have how i in is it its me my no not of on or please that the their this to was we what when where which who will with would you your'.split(
    ' ',
  ),
);

/** Lower-case words without function words and plural endings; `getUserId` and `get_user_id` are three words. */
function wordsOf(text: string): string[] {
  const separated = text.replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2').toLowerCase();
  const words = separated.match(/\p{L}+|\p{N}+/gu) ?? [];
  return words
    .filter((word) => !functionWords.has(word))
    .map((word) => (word.length > 3 ? word.replace(/s$/, '') : word));
}
