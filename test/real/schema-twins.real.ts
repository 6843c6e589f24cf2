import { expect, it } from 'vitest';
import { describeChatModels } from './chat-models.ts';

const hex = '[0-9a-f]';
const date = '20\\d\\d-(0[1-9]|1[0-2])-([0-2]\\d|3[01])';
/** Schemas of one string, and the expression of the same strings. */
const twins: readonly [text: string, field: string, schema: object, expression: string][] = [
  ['Refund order ORD-123456.', 'order', { pattern: '^ORD-\\d{6}$' }, 'ORD-\\d{6}'],
  ['The invoice is INV-2024-0815.', 'invoice', { pattern: '^INV-\\d{4}-\\d{4}$' }, 'INV-\\d{4}-\\d{4}'],
  ['The meeting is on 2025-03-14.', 'date', { format: 'date', pattern: `^${date}$` }, date],
  [
    'It starts at 2025-03-14T09:30:00Z.',
    'start',
    { format: 'date-time', pattern: `^${date}T\\d\\d:\\d\\d:\\d\\dZ$` },
    `${date}T([01]\\d|2[0-3]):\\d\\d:\\d\\dZ`,
  ],
  [
    'The shop opens at 08:15:00Z.',
    'time',
    { format: 'time', pattern: '^[^.]*Z$' },
    '([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\dZ',
  ],
  ['The flight is LH-4711.', 'flight', { pattern: '^[A-Z]{2}-\\d{4}$' }, '[A-Z]{2}-\\d{4}'],
  [
    'The id is 3f2b8c1d-9a4e-4b6f-8d2c-1e5a7b9c0d3f.',
    'id',
    { format: 'uuid' },
    `${hex}{8}-${hex}{4}-${hex}{4}-${hex}{4}-${hex}{12}`,
  ],
  [
    'The server is 192.168.10.24.',
    'address',
    { format: 'ipv4' },
    '\\d{1,3}\\.\\d{1,3}\\.\\d{1,3}\\.\\d{1,3}',
  ],
  ['The plate is KX-471.', 'plate', { pattern: '^[A-Z]{2}-[0-9]{3}$' }, '[A-Z]{2}-[0-9]{3}'],
  ['The version is v2.14.3.', 'version', { pattern: '^v\\d+\\.\\d+\\.\\d+$' }, 'v\\d+\\.\\d+\\.\\d+'],
];

/** White space as answers by a schema may have it. */
const space = '([ \\t]{0,4}|\\r?\\n[ \\t]{0,40})';

describeChatModels((ask) => {
  it('writes the strings of schemas as those of expressions: the same values in as few tokens', async () => {
    const rows: [field: string, bySchema: string, byExpression: string, tokens: string][] = [];
    const wrong: unknown[] = [];
    for (const [text, field, schema, expression] of twins) {
      const content = `${text} Give the ${field} as JSON: {"${field}": "…"}`;
      const request = { messages: [{ role: 'user', content } as const], temperature: 0, maxTokens: 96 };
      const document = {
        type: 'object',
        properties: { [field]: { type: 'string', ...schema } },
        required: [field],
        additionalProperties: false,
      };
      const bySchema = await ask({ ...request, responseFormat: { type: 'json-schema', schema: document } });
      const regex = `\\{${space}"${field}"[ \\t]?:[ \\t]{0,4}"${expression}"${space}\\}`;
      const byExpression = await ask({ ...request, responseFormat: { type: 'regex', regex } });
      const values = [bySchema, byExpression].map(
        (answer) => (JSON.parse(answer.text) as Record<string, string>)[field]!,
      );
      rows.push([
        field,
        values[0]!,
        values[1]!,
        `${bySchema.completionTokens} ${byExpression.completionTokens}`,
      ]);
      if (values[0] !== values[1] || bySchema.completionTokens > 1.1 * byExpression.completionTokens)
        wrong.push(rows.at(-1));
    }
    expect(wrong, rows.map((row) => row.join('  ')).join('\n')).toEqual([]);
    if (process.env['TEST_REPORT']) console.log(rows.map((row) => row.join('  ')).join('\n'));
  });
});
