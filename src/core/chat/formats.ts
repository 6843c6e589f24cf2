import { reasoningFormats, thinkFormat } from './reasoning-formats.ts';
import type { ReasoningFormat } from './reasoning-format.ts';
import { commandRFormat } from './tool-calls/command-r.ts';
import { deepseekFormat, deepseekV31Format } from './tool-calls/deepseek.ts';
import { functoolsFormat } from './tool-calls/fire-function.ts';
import type { ModelTraits, ToolCallFormat } from './tool-calls/format.ts';
import { functionaryV31Format, functionaryV32Format } from './tool-calls/functionary.ts';
import { functionGemmaFormat, gemma4Format, gemmaCodeFormat } from './tool-calls/gemma.ts';
import { glmFormat } from './tool-calls/glm.ts';
import { granite3Format } from './tool-calls/granite-3.ts';
import { harmonyFormat } from './tool-calls/harmony.ts';
import { hermesFormat } from './tool-calls/hermes.ts';
import { kimiK2Format } from './tool-calls/kimi-k2.ts';
import { lfm2Format } from './tool-calls/lfm2.ts';
import { llama3Format } from './tool-calls/llama-3.ts';
import { llama4Format } from './tool-calls/llama-4.ts';
import { minimaxM2Format } from './tool-calls/minimax-m2.ts';
import { mistralFormat, mistralNamedFormat } from './tool-calls/mistral.ts';
import { nemotronFormat } from './tool-calls/nemotron.ts';
import { phi4Format } from './tool-calls/phi-4.ts';
import { qwen3CoderFormat } from './tool-calls/qwen3-coder.ts';

/** Every format of tool calls. The first that recognises a model is its format, so the more special comes first. */
export const toolCallFormats: readonly ToolCallFormat[] = [
  harmonyFormat,
  deepseekV31Format,
  deepseekFormat,
  kimiK2Format,
  minimaxM2Format,
  glmFormat,
  qwen3CoderFormat,
  functionaryV31Format,
  functionaryV32Format,
  commandRFormat,
  mistralNamedFormat,
  mistralFormat,
  nemotronFormat,
  gemma4Format,
  functionGemmaFormat,
  gemmaCodeFormat,
  lfm2Format,
  phi4Format,
  hermesFormat,
  granite3Format,
  functoolsFormat,
  llama4Format,
  llama3Format,
];

/** What `detectFormats` looks at. */
export interface FormatQuery extends ModelTraits {
  /** Name of the tool call format to use instead of the one that is recognised. */
  readonly toolCallFormat?: string | undefined;
  /** Name of the reasoning format to use instead of the one that is recognised. */
  readonly reasoningFormat?: string | undefined;
}

/** How a model writes what is not plain text. */
export interface ModelFormats {
  /** `undefined` where the template shows no known way of calling tools. */
  readonly toolCalls: ToolCallFormat | undefined;
  /** `<think>` where the template shows no other: any model may be trained to think in these tags. */
  readonly reasoning: ReasoningFormat;
}

/**
 * Recognises a model's formats by the markers in its chat template and tokenizer.
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
  const { toolCallFormat, reasoningFormat } = query;
  return {
    toolCalls:
      toolCallFormat === undefined
        ? toolCallFormats.find((format) => format.detect(query))
        : findByName('toolCallFormat', toolCallFormats, toolCallFormat),
    reasoning:
      reasoningFormat === undefined
        ? (reasoningFormats.find((format) => format.detect(query)) ?? thinkFormat)
        : findByName('reasoningFormat', reasoningFormats, reasoningFormat),
  };
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
