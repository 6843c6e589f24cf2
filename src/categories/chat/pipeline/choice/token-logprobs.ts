import { logProbabilitiesOf, type TokenLogProbability } from '../../../../core/sampling/log-probabilities.ts';
import type { TextTokenizer } from '../../../../models/tokenizer.ts';
import type { TokenLogprob, TokenLogprobs } from '../../events.ts';

const utf8 = new TextDecoder();

/** The model's log probabilities of a token before sampling, with the tokens spelled out. */
export function readTokenLogprobs(
  logits: Float32Array,
  token: number,
  top: number,
  tokenizer: TextTokenizer,
): TokenLogprobs {
  const spellOut = ({ token: id, logProbability }: TokenLogProbability): TokenLogprob => {
    const bytes = tokenizer.bytesOf(id);
    return { token: utf8.decode(bytes), logprob: logProbability, bytes: [...bytes] };
  };
  const chosen = logProbabilitiesOf(logits, token, { top });
  return { ...spellOut(chosen), topLogprobs: chosen.top.map(spellOut) };
}
