import type { ChatTemplate } from '../../../../folder/chat-template.ts';
import type { TextTokenizer } from '../../../../contracts/text-model.ts';

/** Continuations of a system prompt that leave it as it is, and join its last characters to different tokens. */
const continuations = ['', 'a', ' 1', '\n\n'];

/**
 * Finds out how many first tokens of a prompt are no caller's own: those that every prompt with one of these system prompts
 * begins with, up to the end of its text. They follow from the text alone, and are computed anew each day, since templates may
 * write the date before it.
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
