import { z } from 'zod';
import type { CallOptions } from '../contracts/run.ts';
import { settingsFault } from '../validation/assert-options.ts';

const count = z.int().min(0).optional();
const run = {
  delayMs: z.number().min(0).optional(),
  error: z.unknown().optional(),
  failAfter: count,
};
const oneOf = (words: string, ...schemas: z.ZodType[]): z.ZodType =>
  z.union(schemas, { error: `expected ${words}` });

/** The values of each option of a fake inference, and the results of functions in their place. */
const scripts = {
  reply: oneOf(
    'a text, { text: … }, a function that returns one, or a list of these',
    z.string(),
    z.strictObject({
      reasoning: z.string().optional(),
      text: z.string().optional(),
      toolCalls: z
        .array(z.strictObject({ name: z.string(), arguments: z.union([z.string(), z.looseObject({})]) }))
        .optional(),
      promptDelayMs: run.delayMs,
      ...run,
    }),
  ),
  transcript: oneOf(
    'a text, { segments: [texts] }, or a function that returns one',
    z.string(),
    z.strictObject({
      segments: z.array(z.string()),
      speakers: z.array(z.string()).optional(),
      language: z.string().optional(),
      durationSeconds: z.number().min(0).optional(),
      ...run,
    }),
  ),
  drawing: z.strictObject(run),
  speech: z.strictObject(run),
  detections: z.object({
    detections: z.array(z.looseObject({ className: z.string(), confidence: z.number() })),
    image: z.object({ width: z.number(), height: z.number() }),
  }),
  embeddings: z.object({
    embeddings: z.array(z.custom((value) => ArrayBuffer.isView(value), { error: 'expected a Float32Array' })),
    promptTokens: z.int().min(0),
  }),
  ranking: z.object({
    results: z.array(z.looseObject({ index: z.int().min(0), relevanceScore: z.number() })),
    promptTokens: z.int().min(0),
  }),
};

/** @throws TypeError that begins with the name of the option, for a value that a fake model can't play */
export function assertScript<Script>(
  option: keyof typeof scripts,
  script: Script,
  name: string = option,
): Script {
  const fault = settingsFault(scripts[option], script);
  if (!fault) return script;
  const { place, reason } = fault;
  const within = place === '' || place.startsWith('[') ? place : `.${place}`;
  throw new TypeError(`${name}${within}: ${reason}`);
}

/** Returns the script of a request. */
export type Answerer<Script, Request> = (request: Request, options: CallOptions) => Script | Promise<Script>;

/** A script, or a function that returns the one of a request. */
export type Scripted<Script, Request> = Script | Answerer<Script, Request>;

/** @throws TypeError as `assertScript` */
export async function readScript<Script extends string | object, Request>(
  option: keyof typeof scripts,
  given: Scripted<Script, Request>,
  request: Request,
  options: CallOptions,
): Promise<Script> {
  return assertScript(option, typeof given === 'function' ? await given(request, options) : given);
}

/** @throws TypeError as `assertScript` */
export function assertScripts(options: Partial<Record<keyof typeof scripts, unknown>>): void {
  for (const option of Object.keys(scripts) as (keyof typeof scripts)[]) {
    const script = options[option];
    if (script === undefined || typeof script === 'function') continue;
    if (option === 'embeddings' || option === 'ranking')
      throw new TypeError(`${option}: expected a function`);
    assertScript(option, script);
  }
}
