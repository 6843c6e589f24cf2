import { assertFunction, assertObject, assertText } from '../assert-values.ts';
import { deriveThinking } from './derive-thinking.ts';
import { createBlockFormat, reasoningFormats, thinkFormat } from './reasoning-formats.ts';
import type { ReasoningFormat } from './reasoning.ts';
import { deriveNotation } from './tool-calls/derive.ts';
import type { CallNotation } from './tool-calls/notation.ts';
import { createFormat, type ModelTraits, type ToolCallFormat } from './tool-calls/format.ts';
import { formatRows } from './tool-calls/rows.ts';
import { TurnRenderer, type ProbedCall, type RenderTurns } from './tool-calls/template-turn.ts';
import { readsBack } from './tool-calls/verify.ts';

/** Formats that a setting can name. */
export const toolCallFormats: readonly ToolCallFormat[] = formatRows.map(({ format }) => format);

/** Evidence for `detectFormats`. */
export interface FormatQuery extends ModelTraits {
  /** Name of a format, or a notation, to use instead of the recognized format. */
  readonly toolCallFormat?: string | CallNotation | undefined;
  /** Renders a conversation with the model's template, to derive how the model writes calls. */
  readonly render?: RenderTurns | undefined;
  /** Name of the template's variable that lets the model think. */
  readonly thinkingSwitch?: string | undefined;
  /** Name of the reasoning format to use instead of the recognized format. */
  readonly reasoningFormat?: string | undefined;
}

/** Notation of a model's calls and thinking. */
export interface ModelFormats {
  /** `undefined` where the template shows no known way of calling tools. */
  readonly toolCalls: ToolCallFormat | undefined;
  /** Default `<think>`: any model may be trained to think in these tags. */
  readonly reasoning: ReasoningFormat;
}

/**
 * Recognizes a model's formats by what its chat template makes of a call, and by the markers in the template and the
 * tokenizer.
 *
 * @throws RangeError for the name of a format that doesn't exist
 *
 * @example
 * ```ts
 * const template = '… <tool_call>{"name": …}</tool_call> …';
 * detectFormats({ template, hasToken: () => false }).toolCalls?.name; // 'hermes'
 * ```
 */
export function detectFormats(query: FormatQuery): ModelFormats {
  assertObject('query', query);
  const { reasoningFormat, render, toolCallFormat: chosen } = query;
  assertText('template', query.template);
  assertFunction('hasToken', query.hasToken);
  if (render !== undefined) assertFunction('render', render);
  if (query.thinkingSwitch !== undefined) assertText('thinkingSwitch', query.thinkingSwitch);
  if (chosen !== undefined && typeof chosen !== 'string') {
    assertObject('toolCallFormat', chosen);
    assertText('toolCallFormat.begin', chosen.begin);
    assertText('toolCallFormat.end', chosen.end);
  }
  const turns = render && new TurnRenderer(render);
  const reasoning =
    reasoningFormat === undefined
      ? recognizeReasoning(query, turns)
      : findByName('reasoningFormat', reasoningFormats, reasoningFormat);
  return { toolCalls: chooseToolCalls(query, reasoning, turns), reasoning };
}

/** A call to find the row that reads the template's call. */
const sample: readonly ProbedCall[] = [['gamma_x', { city: 'Rom' }]];

/**
 * Priority: a row that overrides the template, then the template, then a row that detects the model. If there are a row and a
 * template, both are read.
 */
function chooseToolCalls(
  query: FormatQuery,
  { markers }: ReasoningFormat,
  turns: TurnRenderer | undefined,
): ToolCallFormat | undefined {
  const { toolCallFormat: chosen } = query;
  if (typeof chosen === 'string') return findByName('toolCallFormat', toolCallFormats, chosen);
  if (chosen !== undefined) return createFormat('setting', [chosen]);
  const named = formatRows.filter((one) => one.detect(query));
  const turn = named.length > 1 ? turns?.turn(sample)?.text : undefined;
  const row =
    named.find(({ format }) => turn !== undefined && readsBack(format.createParser, sample, turn)) ??
    named[0];
  const derived = turns && deriveNotation(turns, markers).notation;
  if (derived === undefined) return row?.format;
  const { name, notations } = row?.format ?? { name: '', notations: [] };
  const [first, ...others] = notations;
  return row?.overrides && first
    ? createFormat(name, [first, ...others], [derived])
    : createFormat('template', [derived], notations);
}

/** The row with the template's marks, else a format with these marks, else the row that detects the model. */
function recognizeReasoning(query: FormatQuery, turns: TurnRenderer | undefined): ReasoningFormat {
  const told = reasoningFormats.find((format) => format.detect(query));
  const marks = turns && deriveThinking(turns, query.thinkingSwitch);
  if (marks === undefined || told?.overrides === true) return told ?? thinkFormat;
  const hasMarks = ({ markers }: ReasoningFormat): boolean =>
    [marks.open, marks.close, marks.frame?.open ?? []].flat().every((mark) => markers.includes(mark));
  if (told && hasMarks(told)) return told;
  return reasoningFormats.find(hasMarks) ?? createBlockFormat({ name: 'template', ...marks });
}

function findByName<T extends { readonly name: string }>(
  label: string,
  formats: readonly T[],
  name: string,
): T {
  const format = formats.find((candidate) => candidate.name === name);
  if (format !== undefined) return format;
  const names = formats.map((candidate) => `"${candidate.name}"`).join(', ');
  throw new RangeError(`${label}: expected one of ${names}, got "${name}"`);
}
