import { JsonCounter } from '../../core/text/json-counter.ts';
import { orThrow } from '../../errors.ts';

/** Maximum nesting of a response; a deeper one would block this process. */
const maxLevels = 128;

/** Parses a server's JSON. Errors don't quote it. */
export function parseAnswer(text: string): unknown {
  // Each level takes two characters.
  if (text.length > 2 * maxLevels && levelsOf(text) > maxLevels)
    throw new Error(`it is nested more than ${maxLevels} levels deep`);
  return orThrow<unknown>(
    () => JSON.parse(text),
    (cause) => new Error('it is not JSON', { cause }),
  );
}

function levelsOf(text: string): number {
  const counter = new JsonCounter();
  counter.push(Buffer.from(text));
  return counter.depth;
}
