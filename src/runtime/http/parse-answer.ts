import { JsonCounter } from '../../core/text/json-counter.ts';

/** Levels of arrays and objects in an answer; a deep one would hold up this process. */
const mostLevels = 128;
const openBracket = 0x5b;
const openBrace = 0x7b;

/** Parses the JSON of a server. Errors quote nothing of it. */
export function parseAnswer(text: string): unknown {
  if (!isFlat(text) && levelsOf(text) > mostLevels)
    throw new Error(`it is nested more than ${mostLevels} levels deep`);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error('it is not JSON', { cause: error });
  }
}

/** Whether so few brackets open that it can't be deep, as in an event of a token. */
function isFlat(text: string): boolean {
  if (text.length > 4096) return false;
  let openings = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === openBracket || unit === openBrace) openings++;
  }
  return openings <= mostLevels;
}

function levelsOf(text: string): number {
  const counter = new JsonCounter();
  counter.push(Buffer.from(text));
  return counter.depth;
}
