import { describe, expect, it } from 'vitest';
import { runCommandLine } from '../../src/cli/command-line.ts';
import { packageVersion } from '../../src/cli/command-line.ts';
import { fakeTerminal } from './fake-terminal.ts';

async function run(...args: string[]) {
  const terminal = fakeTerminal();
  const code = await runCommandLine(args, terminal);
  return { code, output: terminal.output.text, messages: terminal.messages.text };
}

const commands = ['chat', 'run', 'serve', 'models list', 'models pull', 'models info', 'models rm', 'bench'];

describe('help', () => {
  it.each([['--help'], ['-h'], ['help']])('%s lists every command', async (argument) => {
    const { code, output, messages } = await run(argument);
    expect({ code, messages }).toEqual({ code: 0, messages: '' });
    for (const command of commands) expect(output).toContain(`  ${command} `);
  });

  it.each(commands)('%s has a page with its options and an example', async (command) => {
    const words = command.split(' ');
    const { code, output } = await run(...words, '--help');
    expect(code).toBe(0);
    expect(output).toMatch(new RegExp(`^Usage: slashv1 ${command} `));
    expect(output).toMatch(new RegExp(String.raw`Examples:\n  # .+\n  (\w+=\S+ )?slashv1 ${command}`));
    expect(await run('help', ...words)).toEqual({ code, output, messages: '' });
    for (const line of output.split('\n'))
      if (!line.startsWith('  slashv1')) expect(line.length).toBeLessThan(101);
  });

  it('of a group lists its commands', async () => {
    expect((await run('models')).output).toContain('models pull    Download models.');
    expect((await run('models', '-h')).output).toEqual((await run('models')).output);
  });

  it('is where a line without a command ends, as a mistake', async () => {
    const { code, output, messages } = await run();
    expect({ code, output }).toEqual({ code: 2, output: '' });
    expect(messages).toContain('Usage: slashv1 <command>');
  });
});

it.each([['--version'], ['-V']])('%s prints the version', async (argument) => {
  expect(await run(argument)).toEqual({ code: 0, output: `${packageVersion()}\n`, messages: '' });
});

describe('mistakes', () => {
  it.each([
    ['bnech', 'There is no command bnech. Did you mean bench?'],
    ['pull x', 'There is no command pull. Did you mean models pull?'],
    ['models lst', 'There is no command models lst. Did you mean models list?'],
    ['xyzzy', 'There is no command xyzzy.'],
    ['--hepl', 'There is no option --hepl. Did you mean --help?'],
    ['serve --prot 1', 'There is no option --prot. Did you mean --port?'],
    ['serve -x', 'There is no option -x.'],
    ['serve tiny-chat', 'a model is named by --model tiny-chat'],
    ['serve --port', '--port: expected <number> after it'],
    ['serve --port --host x', '--port: expected <number>, got --host; write --port=--host to pass it'],
    ['serve --port=', '--port: expected <number>, got nothing'],
    ['serve --port 1 --port 2', '--port: expected once'],
    ['serve --port 70000', '--port: expected an integer from 0 to 65535, got "70000"'],
    ['serve --port 80a', '--port: expected an integer from 0 to 65535, got "80a"'],
    ['serve --no-auth=yes', '--no-auth: expected no value, got "yes"'],
    ['serve --no-auth --key x', '--no-auth: expected no keys beside it'],
    ['serve --key=a --key=a', '--key: expected each key only once'],
    ['serve --keys-file /none', "--keys-file: /none can't be read: ENOENT"],
    ['serve --drain soon', '--drain: expected a time such as 500ms, 10s or 2m, got "soon"'],
    ['serve --drain 99999h', '--drain: expected a time such as 500ms, 10s or 2m, got "99999h"'],
    ['serve --endpoint ftp://x', '--endpoint: expected an http or https URL, got "ftp://x"'],
    ['serve --model a=', '--model a=: expected id=source or a source, got "a="'],
    ['serve --model a=b --model a=c', '--model a=c: expected every id once, got a again'],
    ['serve --model a=b,dtyp=q4', '--model a=b,dtyp=q4: a model has no setting dtyp. Did you mean dtype?'],
    ['serve --model a=b,q4', 'expected setting=value after the comma, got "q4"'],
    ['serve --model a=b,dtype=q5', '--model a=b,dtype=q5: dtype: expected "auto" or "fp32"'],
    [
      'serve --model a=b,device=gpu',
      'device: expected "cpu" or "webgpu" or "cuda" or "dml" or "coreml" or "cuda:1", got "gpu"',
    ],
    ['serve --model a=b,threads=few', 'threads: expected an integer from 1 to 1024, got "few"'],
    [
      'serve --model a=b,replicas=0',
      '--model a=b,replicas=0: replicas: expected an integer from 1 to 256, got 0',
    ],
    ['serve --model a=b,maxQueue=-1', 'maxQueue: expected an integer from 0 to 1000000, got -1'],
    ['serve --model a=b,threads=1,threads=2', 'expected threads once'],
    ['models list extra', 'Expected only options, got extra.'],
    ['models info', 'Expected the name of one model, got none.'],
    ['models info a b', 'Expected the name of one model, got 2.'],
    ['models info tiny-chat --dtype q5', '--dtype: expected "auto" or "fp32"'],
    ['models info tiny-chat --category vision', '--category: expected "image"'],
    ['models pull', 'Expected the name of a model'],
    ['models rm', 'Expected the name of a model'],
    ['chat', 'Expected the name of one model, got none.'],
    ['chat a b', 'Expected the name of one model, got 2.'],
    ['chat tiny-chat,dtyp=q4', 'tiny-chat,dtyp=q4: a model has no setting dtyp. Did you mean dtype?'],
    ['chat tiny-chat,dtype=q9', 'tiny-chat,dtype=q9: dtype: expected "auto" or "fp32"'],
    ['chat tiny-detect', 'Expected a model for chat, and tiny-detect is for detection.'],
    ['chat tiny-chat --endpoint ftp://x', '--endpoint: expected an http or https URL, got "ftp://x"'],
    ['run', 'Expected a text, or input that is piped into the command.'],
    ['run x --temperature 9', '--temperature: expected a value from 0 to 2, got 9'],
    ['run x --top-k few', '--top-k: expected an integer, got "few"'],
    ['run x --max-tokens 0', '--max-tokens: expected a value from 1 to 131072, got 0'],
    ['run x --reasoning-effort much', '--reasoning-effort: expected one of "none"'],
    ['run x --image none.png', "--image: none.png can't be read: ENOENT"],
    ['bench', 'Expected the name of one model, got none.'],
    ['bench tiny-chat --requests 0', '--requests: expected an integer of at least 1, got "0"'],
    ['bench tiny-chat --concurrency 5000', '--concurrency: expected an integer from 1 to 1024, got "5000"'],
    ['bench tiny-image --size 100x512', '--size: width: expected a value from 256 to 2048, got 100'],
    ['bench tiny-image --size big', '--size: expected a width and a height such as 512x512, got "big"'],
    ['bench tiny-image --steps 151', '--steps: num_inference_steps: expected a value from 1 to 150, got 151'],
    ['bench tiny-chat --size 256x256', '--size: expected only with image, and this model is for chat'],
    [
      'bench tiny-embed --max-tokens 5',
      '--max-tokens: expected only with chat, and this model is for embedding',
    ],
  ])('slashv1 %s', async (line, message) => {
    const { code, output, messages } = await run(...line.split(' '));
    expect(messages).toContain(message);
    expect(messages).toMatch(/\nRun slashv1 .*--help for help\.\n$/);
    expect({ code, output }).toEqual({ code: 2, output: '' });
  });

  it.each([
    ['bench tiny-cat', /^slashv1: tiny-cat: .* Did you mean tiny-chat\?$/m],
    ['models info ./nowhere', /^slashv1: \.\/nowhere: expected one of the bundled models/],
  ])('what is not on the line itself is a failure: slashv1 %s', async (line, message) => {
    const { code, messages } = await run(...line.split(' '));
    expect(messages).toMatch(message);
    expect(code).toBe(1);
  });
});
