import type { Logger } from '../../index.ts';
import type { OutputStream } from '../terminal.ts';

type Fields = Readonly<Record<string, unknown>>;
type Level = 'info' | 'warn' | 'error';

/** One line of JSON per event, in `pino`'s format with level names instead of numbers. */
export function jsonLogger(stream: OutputStream, now: () => Date = () => new Date()): Logger {
  return toLogger((level, fields, message) => {
    const { component: _, ...rest } = fields;
    const line = { time: now().toISOString(), level, message, ...rest };
    stream.write(
      `${JSON.stringify(line, (_key, value: unknown) => (value instanceof Error ? value.stack : value))}\n`,
    );
  });
}

/** The same for people: time, status, route, model, and the cost. */
export function prettyLogger(stream: OutputStream, now: () => Date = () => new Date()): Logger {
  const { style } = stream;
  return toLogger((level, fields, message) => {
    const time = style.dim(now().toTimeString().slice(0, 8));
    const { err, reason } = fields;
    const paint = level === 'error' ? style.red : level === 'warn' ? style.yellow : style.bold;
    const details = [
      fields['model'],
      duration(fields['durationMs'] ?? fields['loadMs']),
      tokens(fields),
      fields['param'] && `(${String(fields['param'])})`,
      reason,
      err instanceof Error && err.stack,
    ].filter(Boolean);
    stream.write(`${time}  ${paint(message)}  ${details.join('  ')}\n`);
  });
}

function toLogger(write: (level: Level, fields: Fields, message: string) => void): Logger {
  const withFields = (common: Fields): Logger => {
    const at =
      (level: Level) =>
      (fields: object, message = ''): void =>
        write(level, { ...common, ...fields }, message);
    return {
      debug: () => undefined,
      info: at('info'),
      warn: at('warn'),
      error: at('error'),
      child: (fields) => withFields({ ...common, ...fields }),
    };
  };
  return withFields({});
}

function duration(milliseconds: unknown): string | undefined {
  if (typeof milliseconds !== 'number') return undefined;
  return milliseconds < 1000 ? `${milliseconds.toFixed(0)} ms` : `${(milliseconds / 1000).toFixed(1)} s`;
}

function tokens({ inputTokens, outputTokens, audioSeconds, images, detections }: Fields): string {
  const counted = [
    typeof inputTokens === 'number' && `${inputTokens} in`,
    typeof outputTokens === 'number' && `${outputTokens} out`,
    typeof audioSeconds === 'number' && `${audioSeconds.toFixed(1)} s of audio`,
    typeof images === 'number' && `${images} ${images === 1 ? 'image' : 'images'}`,
    typeof detections === 'number' && `${detections} found`,
  ];
  return counted.filter(Boolean).join(', ');
}
