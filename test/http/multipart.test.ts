import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { Busboy } from '@fastify/busboy';
import { describe, expect, it, vi } from 'vitest';
import { InferenceError } from '../../src/errors.ts';
import type { ApiRequest } from '../../src/contracts/http.ts';
import { readMultipart } from '../../src/http/multipart.ts';
import { type FormField } from '../../src/contracts/endpoint.ts';
import { boundary, fieldPart, filePart, formOf, part, sentForm } from '../server/forms.ts';
import { toRequest, type Sent } from '../server/support.ts';
import { runs } from '../thorough.ts';

interface Form {
  readonly fields: readonly FormField[];
  readonly files: readonly { name: string; content: string }[];
}

const timeoutMs = 60_000;

async function read(sent: Sent, maxBytes = 1024 * 1024): Promise<Form> {
  const files: { name: string; content: string }[] = [];
  const fields = await readMultipart(toRequest(sent), {
    maxBytes,
    timeoutMs,
    async onFile(name, content) {
      files.push({ name, content: (await buffer(content)).toString('latin1') });
    },
  });
  return { fields, files };
}

const broken = (body: string) => read(sentForm(body));

describe('readMultipart', () => {
  it.each([1, 2, 7, 64, 100_000])('reads fields and files in pieces of %d bytes', async (pieceBytes) => {
    const content = `x--${boundary}\n--${boundary}\r\n\r\n${'\0ab\r\n'.repeat(200)}`;
    const body = formOf(
      fieldPart('a', 'grüne'),
      filePart(content),
      fieldPart('a', ''),
      fieldPart('b[]', '1'),
    );
    expect(await read(sentForm(body, pieceBytes))).toEqual({
      fields: [
        { name: 'a', value: 'grüne' },
        { name: 'a', value: '' },
        { name: 'b[]', value: '1' },
      ],
      files: [{ name: 'file', content }],
    });
  });

  it.each([
    ['text without a file name', part('form-data; name="f"', 'x'), 'field'],
    ['bytes without a file name', part('form-data; name="f"', 'x', 'Content-Type: audio/mpeg\r\n'), 'file'],
    [
      'JSON without a file name',
      part('form-data; name="f"', '{}', 'Content-Type: application/json\r\n'),
      'field',
    ],
    ['text with a file name', part('form-data; name="f"; filename="../a"', 'x'), 'file'],
  ])('takes %s', async (_title, body, kind) => {
    const { fields, files } = await read(sentForm(formOf(body)));
    expect([fields.length, files.length]).toEqual(kind === 'field' ? [1, 0] : [0, 1]);
  });

  it('reads no further than a little beyond the fields that there may be', async () => {
    const write = vi.spyOn(Busboy.prototype, 'write');
    try {
      const many = Array.from({ length: 20_000 }, () => fieldPart('a', 'b'));
      await expect(read(sentForm(formOf(...many), 2 ** 20), 2 ** 22)).rejects.toThrow('at most 64 fields');
      const bytes = write.mock.calls.reduce((sum, [chunk]) => sum + (chunk as Uint8Array).length, 0);
      expect(bytes).toBeLessThanOrEqual(2 ** 14);
    } finally {
      write.mockRestore();
    }
  });

  it('ignores what comes before and after the form', async () => {
    const { fields } = await read(sentForm(`hello\r\n${formOf(fieldPart('a', 'b'))}and more`));
    expect(fields).toEqual([{ name: 'a', value: 'b' }]);
  });

  it('takes the bytes that a host has kept', async () => {
    const body = { parsed: Buffer.from(formOf(fieldPart('a', 'b'))) };
    expect((await read({ ...sentForm(''), body })).fields).toEqual([{ name: 'a', value: 'b' }]);
  });

  it.each([{}, 'text', undefined])('says that %j is what a body parser left', async (parsed) => {
    await expect(read({ ...sentForm(''), body: { parsed } })).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining('before'),
    });
  });

  it.each([
    'application/json',
    'application/x-www-form-urlencoded',
    'multipart/mixed; boundary=a',
    'multipart/form-data-x; boundary=a',
    '',
  ])('refuses the content type "%s"', async (contentType) => {
    const sent = { ...sentForm(formOf()), headers: { 'content-type': contentType } };
    await expect(read(sent)).rejects.toMatchObject({ code: 'unsupported_media_type' });
  });

  it.each(['', '; boundary', '; boundary=', '; charset=utf-8', `; boundary=${'b'.repeat(253)}`])(
    'refuses the boundary "%s"',
    async (parameters) => {
      const sent = { ...sentForm(formOf()), headers: { 'content-type': `multipart/form-data${parameters}` } };
      await expect(read(sent)).rejects.toMatchObject({ code: 'invalid_request' });
    },
  );

  it('refuses a compressed form', async () => {
    const sent = sentForm(formOf());
    const headers = { ...sent.headers, 'content-encoding': 'gzip' };
    await expect(read({ ...sent, headers })).rejects.toMatchObject({ code: 'unsupported_media_type' });
  });

  it.each([
    ['nothing', ''],
    ['no boundary', 'hello'],
    ['another boundary', '--other\r\n\r\n\r\n--other--\r\n'],
    ['a file that breaks off', filePart('abc')],
    ['a field that breaks off', fieldPart('a', 'b')],
    ['a header that breaks off', `--${boundary}\r\nContent-Disposition: form-data; na`],
    ['headers without an end', `--${boundary}\r\nContent-Disposition: form-data; name="a"\r\n--${boundary}`],
  ])('refuses %s', async (_title, body) => {
    await expect(broken(body)).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it.each([
    ['a huge header', part(`form-data; name="a"`, 'b', `X: ${'x'.repeat(1_000_000)}\r\n`)],
    ['10,000 headers', part('form-data; name="a"', 'b', 'X: y\r\n'.repeat(10_000))],
    ['no disposition', `--${boundary}\r\nX: y\r\n\r\nb\r\n`],
    ['a disposition of another kind', part('attachment; name="a"', 'b')],
    ['an unknown charset', part('form-data; name="a"', 'b', 'Content-Type: text/plain; charset=nope\r\n')],
    ['an odd charset of a name', part("form-data; name*=nope''%ff%00", 'b')],
    ['no name', part('form-data', 'b')],
    ['empty parameters', part('form-data;;;=;"', 'b')],
  ])('survives %s', async (_title, body) => {
    const { fields } = await read(sentForm(formOf(body, fieldPart('last', 'one'))), 2_000_000);
    expect(fields.at(-1)).toEqual({ name: 'last', value: 'one' });
  });

  it('refuses a large field', async () => {
    const text = 'a'.repeat(64 * 1024);
    expect((await read(sentForm(formOf(fieldPart('a', text))))).fields[0]!.value).toBe(text);
    await expect(broken(formOf(fieldPart('a', `${text}a`)))).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining('65536'),
    });
  });

  it('refuses many parts, and reads no further', async () => {
    const most = Array.from({ length: 64 }, (_, index) => fieldPart(`f${index}`, 'x'));
    expect((await read(sentForm(formOf(...most)))).fields).toHaveLength(64);
    let sent = 0;
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) {
        sent += 1;
        yield Buffer.from(fieldPart('a', 'b'));
      }
    }
    await expect(read({ ...sentForm(''), body: endless() })).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining('64'),
    });
    expect(sent).toBeLessThan(80);
  });

  it('refuses a large body, told or not', async () => {
    const body = formOf(filePart('a'.repeat(5000)));
    await expect(read(sentForm(body, 500), 5000)).rejects.toMatchObject({ code: 'request_too_large' });
    const told = { ...sentForm(body), headers: { ...sentForm(body).headers, 'content-length': '5001' } };
    await expect(read(told, 5000)).rejects.toMatchObject({ code: 'request_too_large' });
    expect((await read(sentForm(body), Buffer.byteLength(body))).files).toHaveLength(1);
  });

  it('is read no faster than its file', async () => {
    let sent = 0;
    async function* large(): AsyncGenerator<Uint8Array> {
      yield Buffer.from(filePart('').slice(0, -2));
      for (; sent < 100; sent += 1) yield new Uint8Array(64 * 1024);
      yield Buffer.from(`\r\n--${boundary}--\r\n`);
    }
    let bytes = 0;
    const maxBytes = 10 * 1024 * 1024;
    await readMultipart(toRequest({ ...sentForm(''), body: large() }), {
      maxBytes,
      timeoutMs,
      async onFile(_name, content) {
        await new Promise((resolve) => setTimeout(resolve, 20));
        expect(sent).toBeLessThan(5);
        for await (const chunk of content) bytes += (chunk as Uint8Array).length;
      },
    });
    expect(bytes).toBe(100 * 64 * 1024);
  });

  it.each([
    ['at once', async () => {}],
    ['amid the file', async (content: Readable) => void (await content.iterator().next())],
  ])('fails as its taker fails, %s', async (_title, begin) => {
    const fault = new Error('disk full');
    let isDestroyed: () => boolean = () => false;
    const reading = readMultipart(toRequest(sentForm(formOf(filePart('a'.repeat(500_000))), 1000)), {
      maxBytes: 1_000_000,
      timeoutMs,
      async onFile(_name, content) {
        isDestroyed = () => content.destroyed;
        await begin(content);
        throw fault;
      },
    });
    await expect(reading).rejects.toBe(fault);
    expect(isDestroyed()).toBe(true);
  });

  it('fails as its taker fails, between two pieces', async () => {
    const fault = new Error('disk full');
    let fail: () => void;
    const failed = new Promise<void>((resolve) => (fail = resolve));
    async function* slow(): AsyncGenerator<Uint8Array> {
      yield Buffer.from(filePart('abc').slice(0, -2));
      fail();
      await new Promise(setImmediate);
      yield new Uint8Array(512 * 1024);
    }
    const reading = readMultipart(toRequest({ ...sentForm(''), body: slow() }), {
      maxBytes: 1024 * 1024,
      timeoutMs,
      async onFile() {
        await failed;
        throw fault;
      },
    });
    await expect(reading).rejects.toBe(fault);
  });

  it('tells a client that has gone from a body that breaks off', async () => {
    const client = new AbortController();
    async function* breaking(): AsyncGenerator<Uint8Array> {
      yield Buffer.from(filePart('abc'));
      throw new Error('ECONNRESET');
    }
    const sent: Partial<ApiRequest> = { ...sentForm(''), body: breaking(), signal: client.signal } as object;
    await expect(read(sent as Sent)).rejects.toMatchObject({ code: 'invalid_request' });
    client.abort();
    await expect(read({ ...sent, body: breaking() } as Sent)).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('answers any form, in any pieces', async () => {
    const text = fc.oneof(
      fc.constantFrom(
        '\r\n',
        '\r',
        '\n',
        '--',
        boundary,
        `--${boundary}`,
        `\r\n--${boundary}`,
        ': ',
        ';',
        '"',
        '=',
      ),
      fc.constantFrom(
        'Content-Disposition: form-data; name="a"',
        'filename="b"',
        'Content-Type: ',
        '\r\n\r\n',
        '\0',
      ),
      fc.string({ maxLength: 5 }),
      fc.constantFrom(fieldPart('a', 'b'), filePart('abc'), formOf(), part('form-data; name="x"', '')),
    );
    const body = fc.array(text, { maxLength: 12 }).map((parts) => parts.join(''));
    await fc.assert(
      fc.asyncProperty(body, fc.integer({ min: 1, max: 20 }), async (given, pieceBytes) => {
        try {
          const { fields } = await read(sentForm(given, pieceBytes));
          for (const { name, value } of fields)
            expect([typeof name, typeof value]).toEqual(['string', 'string']);
        } catch (error) {
          expect(InferenceError.isInstance(error) && error.code, String(error)).toBe('invalid_request');
        }
      }),
      { numRuns: runs(2000) },
    );
  });

  it('reads any fields', async () => {
    const value = fc.string({ unit: 'binary', maxLength: 20 }).filter((given) => !given.includes(boundary));
    const fields = fc.array(fc.record({ name: fc.stringMatching(/^\w{1,8}$/), value }), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(fields, fc.integer({ min: 1, max: 40 }), async (given, pieceBytes) => {
        const body = formOf(...given.map(({ name, value: text }) => fieldPart(name, text)));
        expect((await read(sentForm(body, pieceBytes))).fields).toEqual(given);
      }),
      { numRuns: runs(300) },
    );
  });
});
