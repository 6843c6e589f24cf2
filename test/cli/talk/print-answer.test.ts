import { describe, expect, it } from 'vitest';
import { InferenceError } from '../../../src/index.ts';
import { printAnswer } from '../../../src/cli/talk/open-chat-model.ts';
import { fakeTerminal } from '../fake-terminal.ts';

describe('an answer', () => {
  const modelOf = (...events: object[]) =>
    ({
      model: 'm',
      inference: {
        async *chat() {
          yield* events;
        },
      },
    }) as unknown as Parameters<typeof printAnswer>[0];
  const thought = { type: 'reasoning-delta', choice: 0, text: 'Hm\u0007' };
  const text = { type: 'text-delta', choice: 0, text: 'a\u001B[2Jb\n\tc' };

  it('has no control characters on a terminal, and its reasoning beside it', async () => {
    const terminal = fakeTerminal({ isTTY: true });
    expect(await printAnswer(modelOf(thought, text), { messages: [] }, terminal)).toEqual({
      text: text.text,
      isInterrupted: false,
    });
    expect(terminal.output.text).toBe('a[2Jb\n\tc\n');
    expect(terminal.messages.text).toBe('Hm\n\n');
  });

  it('is as the model wrote it elsewhere, without reasoning', async () => {
    const terminal = fakeTerminal();
    await printAnswer(modelOf(thought, text), { messages: [] }, terminal);
    expect(terminal.output.text).toBe(`${text.text}\n`);
    expect(terminal.messages.text).toBe('');
  });

  it('ends at the first SIGINT, as far as it is', async () => {
    const terminal = fakeTerminal();
    const model = {
      model: 'm',
      inference: {
        async *chat(_request: unknown, { signal }: { signal: AbortSignal }) {
          yield text;
          process.emit('SIGINT');
          expect(signal.aborted).toBe(true);
          throw new InferenceError('cancelled', 'The request was cancelled.');
        },
      },
    } as unknown as Parameters<typeof printAnswer>[0];
    const listeners = process.listenerCount('SIGINT');
    expect(await printAnswer(model, { messages: [] }, terminal)).toEqual({
      text: text.text,
      isInterrupted: true,
    });
    expect(process.listenerCount('SIGINT')).toBe(listeners);
  });
});
