import { z } from 'zod';
import { JsonCounter, maxJsonLevels } from '../core/text/json-counter.ts';

const utf8 = new TextEncoder();

/** Text that may be JSON: what parses it, or writes the value again, may call itself for each level. */
export const jsonText = z.string().superRefine((text, context) => {
  const counter = new JsonCounter();
  counter.push(utf8.encode(text));
  if (counter.depth <= maxJsonLevels) return;
  context.addIssue({ code: 'custom', message: `expected at most ${maxJsonLevels} levels of nesting` });
});
