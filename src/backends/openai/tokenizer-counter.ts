import { setImmediate } from 'node:timers/promises';
import { conversationText, frameTokens } from '../../core/chat/estimate-prompt.ts';
import { toTextMessage } from '../../core/chat/messages.ts';
import { createChatTemplate } from '../../folder/chat-template.ts';
import { withEveryTurn } from '../../folder/every-turn.ts';
import { obtainFiles } from '../../hub/obtain-files.ts';
import { findRemote } from '../../hub/remote-model.ts';
import { textFiles } from '../../folder/model-files.ts';
import { openModelFolder } from '../../folder/model-folder.ts';
import { locateModel } from '../../folder/source.ts';
import { createTextTokenizer } from '../../folder/tokenizer.ts';
import type { PromptRequest, TokenCounter } from './count-tokens.ts';
import { orElse } from '../../errors.ts';

/** Characters to encode before the event loop gets a turn. */
const charactersPerTurn = 2 ** 14;

/** Counts tokens with a model's tokenizer, and prompts as rendered by its chat template. */
export async function openTokenizerCounter(source: string): Promise<TokenCounter> {
  const wanted = { category: 'chat', choice: { files: { small: textFiles, stems: [], graphs: () => [] } } };
  const remote = findRemote(source, wanted);
  const obtained = remote ? (await obtainFiles(remote, wanted)).source : source;
  const folder = await openModelFolder(locateModel(obtained));
  const tokenizer = createTextTokenizer(folder);
  const template = folder.chatTemplate === undefined ? undefined : withEveryTurn(createChatTemplate(folder));

  // The server's template may be different.
  const render = ({ messages, tools, toolChoice }: PromptRequest): string | undefined =>
    orElse(
      () => template?.render(messages.map(toTextMessage), toolChoice === 'none' ? [] : tools),
      undefined,
    );
  const countText = async (text: string): Promise<number> => {
    let tokens = 0;
    for (let at = 0; at < text.length; at += charactersPerTurn) {
      if (at > 0) await setImmediate();
      tokens += tokenizer.encode(text.slice(at, at + charactersPerTurn)).length;
    }
    return tokens;
  };
  return {
    async countPrompt(request) {
      const rendered = render(request);
      if (rendered !== undefined) return countText(rendered);
      return (await countText(conversationText(request.messages))) + frameTokens(request.messages);
    },
    countText,
    countAnswer: ({ tokens, text }) => tokens + Math.max(1, tokenizer.encode(text).length),
  };
}
