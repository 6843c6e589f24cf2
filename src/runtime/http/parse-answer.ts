import { JsonCounter } from '../../core/text/json-counter.ts';
import { orThrow } from '../../errors.ts';

/** Levels of arrays and objects in an answer; a deep one would hold up this process. */
const mostLevels = 128;

/** Parses the JSON of a server. Errors quote nothing of it. */
export function parseAnswer(text: string): unknown {
  // Each level takes two characters.
  if (text.length > 2 * mostLevels && levelsOf(text) > mostLevels)
    throw new Error(`it is nested more than ${mostLevels} levels deep`);
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
