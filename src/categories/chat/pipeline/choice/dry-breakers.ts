import { type DryBreakers, createBreakerFinder } from '../../../../core/sampling/dry-breakers.ts';
import type { TextTokenizer } from '../../../../folder/tokenizer.ts';
import type { ChatRequest } from '../../request.ts';

interface Search {
  readonly find: ReturnType<typeof createBreakerFinder>;
  /** The latest search, since most requests say the same: nothing. */
  texts: string;
  found: DryBreakers;
}

const searches = new WeakMap<TextTokenizer, Search>();

/** The sequences of tokens that DRY doesn't look across in this request; none where DRY is off. */
export function dryBreakersOf(
  { dryMultiplier, drySequenceBreakers }: Pick<ChatRequest, 'dryMultiplier' | 'drySequenceBreakers'>,
  tokenizer: TextTokenizer,
): DryBreakers | undefined {
  if (dryMultiplier === 0) return undefined;
  let search = searches.get(tokenizer);
  if (search === undefined) {
    search = { find: createBreakerFinder(vocabularyOf(tokenizer)), texts: '', found: new Map() };
    searches.set(tokenizer, search);
  }
  const texts = JSON.stringify(drySequenceBreakers);
  if (search.texts !== texts) Object.assign(search, { texts, found: search.find(drySequenceBreakers) });
  return search.found;
}

function vocabularyOf(tokenizer: TextTokenizer): Parameters<typeof createBreakerFinder>[0] {
  return {
    size: tokenizer.vocabularySize,
    textOf: (token) => utf8.decode(tokenizer.bytesOf(token)),
    encode: (text) => tokenizer.encode(text),
  };
}

const utf8 = new TextDecoder();
