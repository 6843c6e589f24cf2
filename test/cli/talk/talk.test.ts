import { writeFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { runCli } from '../cli-process.ts';

const sum = 'What is 2 + 3?';

describe('slashv1 run', () => {
  it('takes its prompt from a pipe, too', async () => {
    const piped = await runCli(['run', '--temperature', '0'], { input: `${sum}\n` });
    expect(piped).toMatchObject({ code: 0, output: '2 + 3 = 5\n' });
    const both = await runCli(['run', '--temperature=0', 'What is'], { input: '2 + 3?' });
    expect(both).toMatchObject({ code: 0, output: expect.stringContaining('5') as string });
  });

  it('tells that an answer is cut off', async () => {
    const { code, output, messages } = await runCli(['run', sum, '--temperature', '0', '--max-tokens', '2']);
    expect({ code, messages }).toEqual({
      code: 0,
      messages: 'The answer is cut off; --max-tokens allows more.\n',
    });
    expect('2 + 3 = 5\n'.startsWith(output.trimEnd())).toBe(true);
  });

  it('reads pictures', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'slashv1-run-'));
    try {
      const square = Buffer.from(
        '<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64"><rect width="64" height="64" fill="white"/><rect x="12" y="12" width="40" height="40" fill="red"/></svg>',
      );
      const file = join(folder, 'square.png');
      await writeFile(file, await sharp(square).png().toBuffer());
      const args = ['What is in the picture?', '--image', file, '--temperature', '0'];
      const { code, output } = await runCli(['run', '--model', 'tiny-vision', ...args]);
      expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining('red square') as string });
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('names the ways to go on without the hub', async () => {
    const args = ['run', sum, '--model', 'qwen3-0.6b', '--endpoint', 'http://127.0.0.1:1'];
    const { code, messages } = await runCli(args, { env: { HF_HUB_CACHE: tmpdir() } });
    expect(messages).toMatch(
      /^slashv1: qwen3-0\.6b: 127\.0\.0\.1:1 can't be reached .* Set HF_ENDPOINT .*, copy the model .*, or name a folder that has its files\.$/m,
    );
    expect(code).toBe(1);
  });
});

describe('slashv1 chat', () => {
  const chat = (lines: readonly string[], ...args: string[]) =>
    runCli(['chat', 'tiny-chat', '--temperature', '0', ...args], { input: lines.join('\n') });

  it('answers each line with the conversation before it', async () => {
    const { code, output, messages } = await chat(['My name is Ada.', '', sum, '/exit', 'not read']);
    expect({ code, messages }).toEqual({ code: 0, messages: '' });
    expect(output.trimEnd().split('\n')).toHaveLength(2);
    expect(output).toMatch(/\n2 \+ 3 = 5\n$/);
  });

  it('has commands', async () => {
    const { code, output, messages } = await chat(['/help', '/clera', '/clear', '/system Be brief.']);
    expect({ code, output }).toEqual({ code: 0, output: '' });
    expect(messages).toMatch(/^ {2}\/clear {3}Forget the conversation\.$/m);
    expect(messages).toContain('There is no command /clera. Did you mean /clear?');
  });

  it('goes on after a message that fails', async () => {
    const { code, output, messages } = await chat(['./none.png What is it?', sum]);
    expect({ code, output }).toEqual({ code: 0, output: '2 + 3 = 5\n' });
    expect(messages).toContain('./none.png');
  });
});
