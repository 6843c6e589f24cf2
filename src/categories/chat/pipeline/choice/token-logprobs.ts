import { logProbabilitiesOf, type TokenLogProbability } from '../../../../core/sampling/log-probabilities.ts';
import type { TextTokenizer } from '../../../../contracts/text-model.ts';
import type { PromptTokenLogprobs, TokenLogprob, TokenLogprobs } from '../../events.ts';

type Speller = Pick<TextTokenizer, 'bytesOf'>;

export function readTokenLogprobs(
  logits: Float32Array,
  token: number,
  top: number,
  tokenizer: Speller,
): TokenLogprobs {
  const chosen = logProbabilitiesOf(logits, token, { top });
  const spelled = ({ token: id, logProbability }: TokenLogProbability): TokenLogprob => ({
    ...spell(id, tokenizer),
    logprob: logProbability,
  });
  return { ...spelled(chosen), topLogprobs: chosen.top.map(spelled) };
}

/** Log probabilities of the tokens that follow a piece's tokens, preceded by the prompt's first token. @param logits `[tokens × vocabularySize]` */
export function readPromptLogprobs(
  prompt: Int32Array,
  { logits, start, vocabularySize }: { logits: Float32Array; start: number; vocabularySize: number },
  top: number,
  tokenizer: Speller,
): PromptTokenLogprobs[] {
  const read: PromptTokenLogprobs[] =
    start === 0 ? [{ ...spell(prompt[0]!, tokenizer), logprob: null, topLogprobs: [] }] : [];
  for (let at = 0; at < logits.length / vocabularySize; at++) {
    const token = prompt[start + at + 1];
    if (token === undefined) break;
    const row = logits.subarray(at * vocabularySize, (at + 1) * vocabularySize);
    read.push(readTokenLogprobs(row, token, top, tokenizer));
  }
  return read;
}

const utf8 = new TextDecoder();

function spell(id: number, tokenizer: Speller): Omit<TokenLogprob, 'logprob'> {
  const bytes = tokenizer.bytesOf(id);
  return { token: utf8.decode(bytes), bytes: [...bytes] };
}
