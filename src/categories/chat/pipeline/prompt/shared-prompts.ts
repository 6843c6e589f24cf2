import type { ChatTemplate } from '../../../../folder/chat-template.ts';
import type { TextTokenizer } from '../../../../contracts/text-model.ts';

/** They join the last characters of a system prompt to different tokens. */
const continuations = ['', 'a', ' 1', '\n\n'];

/**
 * Counts the leading tokens that callers may share: the common prefix of all prompts with one of these system prompts. Recomputed
 * daily, since templates may write the date.
 */
export function createSharedPrompts(
  texts: readonly string[],
  { template, tokenizer }: { template: ChatTemplate; tokenizer: TextTokenizer },
): (prompt: Int32Array) => number {
  const beginningOf = (text: string): readonly number[] => {
    const prompts = continuations.map((continuation) =>
      tokenizer.encode(
        template.render(
          [
            { role: 'system', content: text + continuation },
            { role: 'user', content: 'a' },
          ],
          [],
        ),
      ),
    );
    const [first] = prompts;
    const end = first!.findIndex((token, index) => prompts.some((prompt) => prompt[index] !== token));
    return first!.slice(0, end);
  };
  let beginnings: readonly (readonly number[])[] = [];
  let day = '';
  return (prompt) => {
    const today = new Date().toDateString();
    if (texts.length > 0 && day !== today) {
      beginnings = texts.map(beginningOf);
      day = today;
    }
    let shared = 0;
    for (const beginning of beginnings) {
      const { length } = beginning;
      if (length > shared && length < prompt.length && beginning.every((token, at) => token === prompt[at]))
        shared = length;
    }
    return shared;
  };
}
