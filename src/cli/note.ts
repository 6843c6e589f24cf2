import type { OutputStream } from './terminal.ts';

export interface Note {
  /** Says which phase begins. */
  begin(what: string): void;
  /** How far it is. */
  update(what: string): void;
  clear(): void;
}

/** A line of a terminal that comes and goes; elsewhere a line for everything that begins. */
export function createNote({ isTTY, style, write }: OutputStream, model: string): Note {
  const clear = '\r\u001B[K';
  const show = (what: string): void => write(`${clear}${style.dim(`${model}: ${what}`)}`);
  return {
    begin: (what) => (isTTY ? show(what) : write(`${model}: ${what}\n`)),
    update: (what) => isTTY && show(what),
    clear: () => isTTY && write(clear),
  };
}
