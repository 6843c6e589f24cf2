import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { isPublicAddress } from '../../src/runtime/safe-fetch.ts';
import { FetchRefusal, safeFetch, type SafeFetchOptions } from '../../src/runtime/safe-fetch.ts';

describe('isPublicAddress', () => {
  it.each([
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '127.0.0.1',
    '127.255.255.254',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.1',
    '192.168.1.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:8.8.8.8',
    '::7f00:1',
    '64:ff9b::7f00:1',
    '2001:db8::1',
    '2002:7f00:1::',
    'fc00::1',
    'fd12:3456::1',
    'fe80::1',
    'fec0::1',
    'ff02::1',
    'localhost',
    '',
  ])('%j is not', (address) => expect(isPublicAddress(address)).toBe(false));

  it.each([
    '8.8.8.8',
    '1.1.1.1',
    '172.15.0.1',
    '172.32.0.1',
    '100.128.0.1',
    '2606:4700::1111',
    '2a00:1450::1',
  ])('%s is', (address) => expect(isPublicAddress(address)).toBe(true));
});

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

let server: Server;
let port: number;
let answer: Answer;
let requests: string[];

beforeAll(async () => {
  server = createServer((request, response) => {
    requests.push(`${request.headers.host} ${request.url}`);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ({ port } = server.address() as AddressInfo);
});
beforeEach(() => {
  requests = [];
  answer = (_request, response) => response.end('content');
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const intranet = { allowPrivateNetworks: true };
const url = (path = '/', host = '127.0.0.1') => `http://${host}:${port}${path}`;
const textOf = async (given: string, options: SafeFetchOptions = intranet) =>
  Buffer.from(await safeFetch(given, options)).toString();

/** A name server with one answer after the other. */
function names(...answers: string[][]): NonNullable<SafeFetchOptions['resolve']> {
  return async () =>
    (answers.length > 1 ? answers.shift()! : answers[0]!).map((address) => ({
      address,
      family: address.includes(':') ? 6 : 4,
    }));
}

describe('safeFetch', () => {
  it('gives the bytes', async () => {
    expect(await textOf(url('/a?b=c'))).toBe('content');
    expect(requests).toEqual([`127.0.0.1:${port} /a?b=c`]);
  });

  it('looks at no proxy, cookie or content type', async () => {
    answer = ({ headers }, response) => {
      response.setHeader('content-type', 'text/html');
      response.end(Object.keys(headers).toSorted().join());
    };
    expect(await textOf(url())).toBe('accept,accept-encoding,connection,host,user-agent');
  });

  const forbidden = [
    () => url(),
    () => url('/', 'localhost'),
    () => url('/', '2130706433'),
    () => url('/', '0x7f.1'),
    () => url('/', '0177.0.0.1'),
    () => url('/', '[::1]'),
    () => url('/', '[::ffff:127.0.0.1]'),
    () => url('/', '[::ffff:7f00:1]'),
    () => url('/', '0'),
    () => 'http://169.254.169.254/latest/meta-data/',
    () => 'http://[fd00::1]/',
  ];
  it.each(forbidden.map((make) => [make]))('refuses an address that is not public (%#)', async (make) => {
    await expect(safeFetch(make())).rejects.toThrow(/^its address is not public or gave no answer$/);
    expect(requests).toEqual([]);
  });

  it('refuses a name with one address that is not public', async () => {
    const options = { resolve: names(['8.8.8.8', '127.0.0.1']) };
    await expect(safeFetch(url('/', 'images.example'), options)).rejects.toThrow(/not public/);
    await expect(safeFetch(url('/', 'images.example'), { resolve: names([]) })).rejects.toThrow(/not public/);
    expect(requests).toEqual([]);
  });

  it('connects to the address that was checked, whatever the name server says next', async () => {
    const options = (...answers: string[][]) => {
      let asked = 0;
      const next = names(...answers);
      const resolve = (name: string) => next(`${name} ${(asked += 1)}`);
      return { resolve, allowPrivateNetworks: ['trusted.example'], asked: () => asked };
    };
    const trusted = options(['127.0.0.1'], ['10.0.0.1']);
    expect(await textOf(url('/', 'trusted.example'), trusted)).toBe('content');
    expect(trusted.asked()).toBe(1);
    const rebound = options(['127.0.0.1'], ['8.8.8.8']);
    await expect(safeFetch(url('/', 'rebinding.example'), rebound)).rejects.toThrow(/not public/);
    expect(rebound.asked()).toBe(1);
    expect(requests).toHaveLength(1);
  });

  it('sends the name, not the address, to the host', async () => {
    expect(await textOf(url('/', 'images.example'), { ...intranet, resolve: names(['127.0.0.1']) })).toBe(
      'content',
    );
    expect(requests).toEqual([`images.example:${port} /`]);
  });

  describe('redirects', () => {
    const redirectTo =
      (location: string): Answer =>
      (request, response) => {
        if (request.url !== '/') return response.end('arrived');
        return response.writeHead(302, { location }).end('moved');
      };

    it('are followed', async () => {
      answer = redirectTo('/there');
      expect(await textOf(url())).toBe('arrived');
    });

    // A public address is nothing that a test can serve; the first host is trusted by its name instead.
    it.each([
      ['a private name', () => url('/there', 'private.example')],
      ['a private address', () => url('/there')],
      ['a metadata service', () => 'http://169.254.169.254/latest/meta-data/'],
      ['a name that is not on the list', () => url('/there', 'other.example')],
    ])('to %s are refused', async (_title, location) => {
      answer = redirectTo(location());
      const options = {
        resolve: names(['127.0.0.1']),
        allowPrivateNetworks: ['trusted.example'],
        allowedHosts: ['trusted.example', 'private.example', '127.0.0.1', '169.254.169.254'],
      };
      await expect(safeFetch(url('/', 'trusted.example'), options)).rejects.toThrow(
        /not public|not among those/,
      );
      expect(requests).toEqual([`trusted.example:${port} /`]);
    });

    it.each(['file:///etc/passwd', 'ftp://a/b', 'data:,a', 'http://user:pass@a/', 'http://'])(
      'to %s are refused',
      async (location) => {
        answer = redirectTo(location);
        await expect(safeFetch(url(), intranet)).rejects.toThrow(/^expected a/);
      },
    );

    it('are followed five times', async () => {
      const steps =
        (last: number): Answer =>
        ({ url: path }, response) => {
          const step = Number(path!.slice(1) || 0);
          if (step === last) return response.end('arrived');
          return response.writeHead(307, { location: `/${step + 1}` }).end();
        };
      answer = steps(5);
      expect(await textOf(url())).toBe('arrived');
      answer = steps(6);
      await expect(safeFetch(url(), intranet)).rejects.toThrow(/at most 5 redirects/);
      expect(requests).toHaveLength(12);
    });
  });

  it('refuses hosts that are not on the list', async () => {
    const allowing = (...allowedHosts: string[]) => ({ ...intranet, allowedHosts });
    expect(await textOf(url(), allowing('a.example', '127.0.0.1'))).toBe('content');
    await expect(safeFetch(url(), allowing('a.example'))).rejects.toThrow(/not among those/);
    await expect(safeFetch(url(), allowing())).rejects.toThrow(/not among those/);
    expect(requests).toHaveLength(1);
  });

  it.each([
    'ftp://a/b',
    'file:///etc/passwd',
    'gopher://a',
    'http://',
    'http://a b/',
    'https://u:p@a/',
    '//a',
    '',
  ])('refuses %j', async (given) => {
    await expect(safeFetch(given, intranet)).rejects.toBeInstanceOf(FetchRefusal);
  });

  it.each([204, 304, 400, 404, 500])('refuses status %i', async (status) => {
    answer = (_request, response) => response.writeHead(status).end();
    await expect(safeFetch(url(), intranet)).rejects.toThrow(`expected status 200, got ${status}`);
  });

  it('refuses an answer that switches protocols', async () => {
    answer = ({ socket }) =>
      void socket.end('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n');
    await expect(safeFetch(url(), intranet)).rejects.toThrow(/gave no answer/);
  });

  it('refuses encoded content', async () => {
    answer = (_request, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('a');
    await expect(safeFetch(url(), intranet)).rejects.toThrow(/content-encoding/);
  });

  it('refuses a declared length that is too large, unread', async () => {
    answer = (_request, response) => response.writeHead(200, { 'content-length': 1e12 }).write('a');
    await expect(safeFetch(url(), { ...intranet, maxBytes: 100 })).rejects.toThrow(/at most 100 bytes/);
  });

  it('leaves an endless body', async () => {
    const closed = new Promise<number>((resolve) => {
      answer = (_request, response) => {
        let sent = 0;
        const timer = setInterval(() => {
          sent += 10_000;
          response.write('x'.repeat(10_000));
        }, 1);
        response.on('close', () => {
          clearInterval(timer);
          resolve(sent);
        });
      };
    });
    await expect(safeFetch(url(), { ...intranet, maxBytes: 50_000 })).rejects.toThrow(/at most 50000 bytes/);
    expect(await closed).toBeLessThan(10_000_000);
  });

  it.each<[string, Answer]>([
    ['no answer', () => undefined],
    ['a slow body', (_request, response) => void response.writeHead(200).write('x')],
  ])('gives up on %s', async (_title, slow) => {
    const closed = new Promise<void>((resolve) => {
      answer = (request, response) => {
        response.on('close', resolve);
        slow(request, response);
      };
    });
    await expect(safeFetch(url(), { ...intranet, timeoutMs: 100 })).rejects.toThrow(/longer than 100 ms/);
    await closed;
  });

  it('gives up on a name server that does not answer', async () => {
    const options = { resolve: () => new Promise<never>(() => undefined), timeoutMs: 50 };
    await expect(safeFetch('http://slow.example/', options)).rejects.toThrow(/longer than 50 ms/);
  });

  it('ends when it is aborted', async () => {
    const controller = new AbortController();
    answer = () => controller.abort(new Error('gone'));
    await expect(safeFetch(url(), { ...intranet, signal: controller.signal })).rejects.toThrow('gone');
  });

  it('tells nothing about what failed in the network', async () => {
    answer = (_request, response) => response.destroy();
    await expect(safeFetch(url(), intranet)).rejects.toThrow(/^its address is not public or gave no answer$/);
    const options = { ...intranet, resolve: async () => Promise.reject(new Error('ENOTFOUND secret')) };
    await expect(safeFetch('http://unknown.example/', options)).rejects.toThrow(
      /^its address is not public or gave no answer$/,
    );
  });
});
