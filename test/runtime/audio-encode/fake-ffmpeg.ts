import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface FakeFfmpegOptions {
  /** Names of the encoders that it lists. */
  readonly codecs?: readonly string[] | undefined;
  /**
   * What it does with audio: `echo` writes its arguments and then what it reads, `hang` reads and writes nothing, `fail`
   * ends at once with a message.
   */
  readonly mode?: 'echo' | 'hang' | 'fail' | undefined;
}

/**
 * Writes a program that behaves like FFmpeg as far as an encoder sees it, and notes the ids of its processes.
 *
 * @returns its path; the ids are in the file of the same name with `.pids`, one on each line
 */
export async function writeFakeFfmpeg(
  folder: string,
  { codecs = ['libmp3lame', 'aac'], mode = 'echo' }: FakeFfmpegOptions = {},
): Promise<string> {
  const path = join(folder, `ffmpeg-${mode}-${codecs.join('-')}`);
  await writeFile(
    path,
    `#!${process.execPath}
const { appendFileSync } = require('node:fs');
const args = process.argv.slice(2);
appendFileSync(${JSON.stringify(`${path}.pids`)}, process.pid + '\\n');
if (args.includes('-encoders')) {
  console.log('Encoders:\\n V....D = Video\\n ------\\n V....D mpeg4   MPEG-4');
  for (const codec of ${JSON.stringify(codecs)}) console.log(' A....D ' + codec.padEnd(20) + ' about it');
} else if (${JSON.stringify(mode)} === 'fail') {
  console.error('Unknown something');
  process.exit(1);
} else if (${JSON.stringify(mode)} === 'hang') {
  setInterval(() => {}, 1000);
} else {
  process.stdout.write(args.join(' ') + '\\n');
  process.stdin.pipe(process.stdout);
}
`,
  );
  await chmod(path, 0o755);
  return path;
}
