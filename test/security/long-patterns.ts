/** Schemas that cost a lot to read, in all ways that are known; each is another one for each number. */
export const longPatterns: readonly ((variant: number) => object)[] = [
  (variant) => pattern(words(60_000, variant).join('|')),
  (variant) => pattern(words(2500, variant).join('|')),
  (variant) => pattern(`${variant}${'.*a?'.repeat(2000)}`),
  (variant) => pattern(`${variant}(a?){900}a{900}`),
  (variant) => pattern(`(${variant}|aa|aaa){500}(b*c*d*){300}`),
  (variant) => pattern(`(x+x+)+y${variant}`),
  (variant) => pattern(`${variant}(((a{30}){30}){30}){30}`),
  (variant) => pattern(`(.*a.{16}|.*b.{15}|${variant})`),
  (variant) => ({ type: 'string', pattern: `(.*a.{9}){3}${variant}`, minLength: 400, maxLength: 900 }),
  (variant) => ({ enum: words(40_000, variant) }),
  (variant) => ({
    type: 'object',
    properties: Object.fromEntries(words(3000, variant).map((name) => [name, { type: 'number' }])),
    required: words(3000, variant),
    additionalProperties: false,
  }),
  (variant) => ({ allOf: words(60, variant).map((word) => ({ pattern: `.*${word}.*a?.*` })) }),
  (variant) => ({ anyOf: words(200, variant).map((word) => ({ not: { pattern: word } })) }),
];

const pattern = (text: string): object => ({ type: 'string', pattern: text });

function words(count: number, variant: number): string[] {
  return Array.from({ length: count }, (_, index) => `w${(index * 7919 + variant).toString(36)}`);
}

/** A chat whose answer has to fit a schema. */
export function constrainedChat(schema: object, maxTokens: number): object {
  return {
    model: 'tiny-chat',
    messages: [{ role: 'user', content: 'Hello!' }],
    max_tokens: maxTokens,
    response_format: { type: 'json_schema', json_schema: { name: 'attack', schema } },
  };
}
