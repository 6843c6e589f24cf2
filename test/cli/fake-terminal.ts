import { createStyle, type OutputStream, type Terminal } from '../../src/cli/terminal.ts';

export interface FakeStream extends OutputStream {
  readonly text: string;
}

/** Remembers what was written. */
export function fakeStream({ isTTY = false, columns = 80 } = {}): FakeStream {
  let text = '';
  return {
    isTTY,
    columns,
    style: createStyle(false),
    write(piece) {
      text += piece;
    },
    get text() {
      return text;
    },
  };
}

export interface FakeTerminal extends Terminal {
  readonly output: FakeStream;
  readonly messages: FakeStream;
  readonly questions: readonly string[];
}

export interface FakeTerminalOptions {
  readonly environment?: Readonly<Record<string, string>>;
  /** What the person types; without it there is nobody. */
  readonly answer?: string;
  readonly isTTY?: boolean;
}

export function fakeTerminal({
  environment = {},
  answer,
  isTTY = false,
}: FakeTerminalOptions = {}): FakeTerminal {
  const questions: string[] = [];
  return {
    output: fakeStream({ isTTY }),
    messages: fakeStream({ isTTY }),
    environment,
    isInteractive: answer !== undefined,
    questions,
    async readLine(prompt) {
      questions.push(prompt);
      return answer;
    },
    readPiped: async () => undefined,
  };
}
