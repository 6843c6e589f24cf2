import { z } from 'zod';
import { countJson, maxArgumentValues, type JsonCount } from '../core/text/bounded-json.ts';
import { checkEach } from './in-pieces.ts';

/** Code units to count before yielding. */
const pieceUnits = 2 ** 18;

/** Yields within `inPieces`. */
export function countArguments(text: string): JsonCount {
  const pieces = Array.from({ length: Math.max(1, Math.ceil(text.length / pieceUnits)) });
  const { data } = checkEach<JsonCount>(pieces, (_, index, [first]) => {
    const piece = text.slice(index * pieceUnits, (index + 1) * pieceUnits);
    return { success: true, data: countJson(piece, { values: maxArgumentValues }, first?.counter) };
  });
  return data.at(-1)!;
}

/** Text that may be JSON: parsing takes time per value and stack per level. */
export const jsonText = z.string().superRefine((text, context) => {
  const { fault } = countArguments(text);
  if (fault !== undefined) context.addIssue({ code: 'custom', message: fault });
});
