import type { GraphRunOptions } from '../../../../contracts/graph.ts';
import { countWindows, toWindows } from '../../../../core/diffusion/prompt-windows.ts';
import { fieldError } from '../../../../errors.ts';
import type { EncodedText, TextEncoder } from './text-encoder.ts';

export interface Conditioning {
  /** `[positions × width]` */
  readonly states: Float32Array;
  readonly width: number;
  readonly pooled: Float32Array | undefined;
}

export type JoinTexts = (texts: readonly EncodedText[]) => Conditioning;

export interface Prompt {
  /** Parameter of the request, for errors. */
  readonly param: string;
  readonly text: string;
  /** The model was trained with zeros in place of this prompt. */
  readonly isZero: boolean;
}

/** Bounds the cost of attention. */
const maxWindows = 16;

export function maxPromptTokens(encoders: readonly TextEncoder[]): number {
  return maxWindows * (Math.min(...encoders.map(({ tokenizer }) => tokenizer.windowLength)) - 2);
}

/** All conditionings have the same length. */
export async function encodePrompts(
  encoders: readonly TextEncoder[],
  join: JoinTexts,
  prompts: readonly Prompt[],
  options?: GraphRunOptions,
): Promise<Conditioning[]> {
  const count = Math.max(...prompts.map((prompt) => countOf(prompt, encoders)));
  const conditionings: Conditioning[] = [];
  for (const { text, isZero } of prompts) {
    const texts: EncodedText[] = [];
    for (const encoder of encoders) {
      const { tokenizer } = encoder;
      texts.push(await encoder.encode(toWindows(tokenizer.encode(text), tokenizer, count), options));
    }
    const joined = join(texts);
    if (isZero) for (const numbers of [joined.states, joined.pooled]) numbers?.fill(0);
    conditionings.push(joined);
  }
  return conditionings;
}

function countOf({ text, param }: Prompt, encoders: readonly TextEncoder[]): number {
  const counts = encoders.map(({ tokenizer }) => countWindows(tokenizer.encode(text), tokenizer));
  const count = Math.max(...counts);
  if (count <= maxWindows) return count;
  const reason = `expected at most ${maxPromptTokens(encoders)} tokens, got ${encoders.map(({ tokenizer }) => tokenizer.encode(text).length).join(' and ')}`;
  throw fieldError(param, reason, { code: 'context_length_exceeded' });
}

/** Stable Diffusion 1 and 2: the states of the only text encoder. */
export function joinSingle([text]: readonly EncodedText[]): Conditioning {
  return { ...text!, pooled: undefined };
}

/** SDXL: states side by side, the last encoder's pooled vector. Podell et al. 2023. */
export function joinFeatures(texts: readonly EncodedText[]): Conditioning {
  const width = texts.reduce((sum, text) => sum + text.width, 0);
  return { states: sideBySide(texts, width), width, pooled: texts.at(-1)!.pooled };
}

/** In place of a T5 text encoder's output. */
const emptyPositions = 256;

/**
 * Stable Diffusion 3 without its T5 text encoder: states side by side, zero-padded to the transformer's width, then empty
 * positions; pooled vectors concatenated. Esser et al. 2024.
 */
export function joinPadded(texts: readonly EncodedText[], width: number): Conditioning {
  const states = sideBySide(texts, width);
  const padded = new Float32Array(states.length + emptyPositions * width);
  padded.set(states);
  return { states: padded, width, pooled: Float32Array.from(texts.flatMap(({ pooled }) => [...pooled!])) };
}

function sideBySide(texts: readonly EncodedText[], width: number): Float32Array {
  const positions = texts[0]!.states.length / texts[0]!.width;
  const joined = new Float32Array(positions * width);
  let offset = 0;
  for (const text of texts) {
    for (let position = 0; position < positions; position++) {
      const from = position * text.width;
      joined.set(text.states.subarray(from, from + text.width), position * width + offset);
    }
    offset += text.width;
  }
  return joined;
}
