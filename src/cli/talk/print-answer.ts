import type { ChatRequestInput } from '../../categories/chat/request.ts';
import { untilInterrupted } from '../command.ts';
import type { OutputStream, Terminal } from '../terminal.ts';
import type { OpenModel } from '../open-model.ts';

/** Streams an answer, which Ctrl-C ends: its text to the output; on a terminal, its reasoning to the messages. */
export async function printAnswer(
  { inference, model }: OpenModel,
  request: Omit<ChatRequestInput, 'model'>,
  { output, messages }: Terminal,
) {
  let text = '';
  let isThinking = false;
  let isCutOff = false;
  const endThought = (): void => {
    if (isThinking) messages.write('\n\n');
    isThinking = false;
  };
  const isWhole = await untilInterrupted(async (signal) => {
    for await (const event of inference.chat({ model, ...request }, { signal })) {
      if (event.type === 'reasoning-delta' && messages.isTTY) {
        isThinking = true;
        messages.write(messages.style.dim(printable(event.text, messages)));
      } else if (event.type === 'text-delta') {
        endThought();
        text += event.text;
        output.write(printable(event.text, output));
      } else if (event.type === 'choice-end') isCutOff = event.finishReason === 'length';
    }
    return !signal.aborted;
  }).finally(() => {
    endThought();
    if (text !== '' && !text.endsWith('\n')) output.write('\n');
  });
  if (isCutOff) messages.write(`${messages.style.dim('The answer is cut off; --max-tokens allows more.')}\n`);
  return { text, isInterrupted: !isWhole };
}

/** A terminal would execute a model's control characters. */
function printable(text: string, { isTTY }: OutputStream): string {
  // eslint-disable-next-line no-control-regex
  return isTTY ? text.replaceAll(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/g, '') : text;
}
