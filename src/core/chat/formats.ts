import { orElse } from '../text/or-else.ts';
import { assertFunction, assertObject, assertText } from '../assert-values.ts';
import { reasoningFormats, thinkFormat } from './reasoning-formats.ts';
import type { ReasoningFormat } from './reasoning-format.ts';
import { apertusFormat } from './tool-calls/apertus.ts';
import { solarOpenFormat } from './tool-calls/solar-open.ts';
import { inklingFormat } from './tool-calls/inkling.ts';
import { minimaxM3Format } from './tool-calls/minimax-m3.ts';
import { deepseekFormat, deepseekV31Format } from './tool-calls/deepseek.ts';
import type { ModelTraits, ToolCallFormat } from './tool-calls/format.ts';
import { functionaryV31Format, functionaryV32Format } from './tool-calls/functionary.ts';
import { functionGemmaFormat, gemma4Format } from './tool-calls/gemma.ts';
import { harmonyFormat } from './tool-calls/harmony.ts';
import { kimiK2Format } from './tool-calls/kimi-k2.ts';
import { mistralFormat, mistralNamedFormat } from './tool-calls/mistral.ts';
import { museGlimmerFormat } from './tool-calls/muse-glimmer.ts';
import * as json from './tool-calls/json-formats.ts';
import * as python from './tool-calls/python-formats.ts';
import * as tagged from './tool-calls/tagged-formats.ts';

/** Every format of tool calls. The first that recognizes a model is its format, so the more special comes first. */
export const toolCallFormats: readonly ToolCallFormat[] = [
  harmonyFormat,
  tagged.deepseekV32Format,
  deepseekV31Format,
  deepseekFormat,
  kimiK2Format,
  tagged.kimiK3Format,
  tagged.step3Format,
  solarOpenFormat,
  tagged.longcatFormat,
  minimaxM3Format,
  tagged.minimaxM2Format,
  tagged.dotsFormat,
  museGlimmerFormat,
  tagged.k2HorizonFormat,
  inklingFormat,
  ...tagged.hyFormats,
  tagged.glmFormat,
  tagged.qwen3CoderFormat,
  functionaryV31Format,
  functionaryV32Format,
  json.commandRFormat,
  json.commandRPlusFormat,
  mistralNamedFormat,
  mistralFormat,
  json.nemotronFormat,
  gemma4Format,
  functionGemmaFormat,
  python.gemmaCodeFormat,
  python.minicpm3Format,
  python.lfm2Format,
  tagged.minicpm5Format,
  apertusFormat,
  json.internlmFormat,
  json.gigachat3Format,
  python.olmo3Format,
  json.phi4Format,
  json.hermesFormat,
  json.hunyuanFormat,
  json.granite20bFormat,
  json.granite3Format,
  json.functoolsFormat,
  json.xlamFormat,
  python.llama4Format,
  json.llama3Format,
];

/** A call as a template writes it. */
export interface CallSample {
  /** The assistant's turn, and perhaps what follows. */
  readonly text: string;
  readonly name: string;
  /** JSON text. */
  readonly arguments: string;
}

/** Evidence for `detectFormats`. */
export interface FormatQuery extends ModelTraits {
  /** Name of the tool call format to use instead of the one that is recognized. */
  readonly toolCallFormat?: string | undefined;
  /** Rendering of a call with any name and arguments; left out where the template has no place for calls. */
  readonly callSample?: CallSample | undefined;
  /** Name of the reasoning format to use instead of the one that is recognized. */
  readonly reasoningFormat?: string | undefined;
}

/** Notation of a model's calls and thinking. */
export interface ModelFormats {
  /** `undefined` where the template shows no known way of calling tools. */
  readonly toolCalls: ToolCallFormat | undefined;
  /** `<think>` where the template shows no other: any model may be trained to think in these tags. */
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
  const { toolCallFormat, reasoningFormat, callSample } = query;
  assertText('template', query.template);
  assertFunction('hasToken', query.hasToken);
  if (callSample !== undefined) {
    assertObject('callSample', callSample);
    assertText('callSample.text', callSample.text);
    assertText('callSample.name', callSample.name);
    assertText('callSample.arguments', callSample.arguments);
  }
  return {
    toolCalls:
      toolCallFormat === undefined
        ? recognizeToolCalls(query)
        : findByName('toolCallFormat', toolCallFormats, toolCallFormat),
    reasoning:
      reasoningFormat === undefined
        ? (reasoningFormats.find((format) => format.detect(query)) ?? thinkFormat)
        : findByName('reasoningFormat', reasoningFormats, reasoningFormat),
  };
}

/** The calls of a template decide its format, even if its text mentions another. */
function recognizeToolCalls(query: FormatQuery): ToolCallFormat | undefined {
  const named = toolCallFormats.filter((format) => format.detect(query));
  const { callSample } = query;
  const readers = toolCallFormats.filter((format) => callSample !== undefined && reads(format, callSample));
  // A format without a marker of its own reads JSON of any other.
  const marked = readers.find(({ openers }) => openers.some((opener) => callSample!.text.includes(opener)));
  return named.find((format) => readers.includes(format)) ?? marked ?? named[0];
}

function reads(format: ToolCallFormat, { text, name, arguments: wanted }: CallSample): boolean {
  const parser = format.createParser([]);
  const events = [...parser.push(text), ...parser.flush()];
  const starts = events.filter((event) => event.type === 'call-start');
  const args = events.map((event) => (event.type === 'arguments' ? event.text : '')).join('');
  return starts.length === 1 && starts[0]!.name === name && isSameJson(args, wanted);
}

function isSameJson(text: string, other: string): boolean {
  return orElse(() => JSON.stringify(JSON.parse(text)) === JSON.stringify(JSON.parse(other)), false);
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
