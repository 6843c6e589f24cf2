import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { request as requestHttp, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as requestHttps } from 'node:https';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { unlessAborted } from './all-aborted.ts';

/** Ranges outside the public Internet. @see https://www.iana.org/assignments/iana-ipv4-special-registry */
const special4 = toBlockList('ipv4', [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]);

/** The only public range of IPv6; IPv4-mapped, local and multicast addresses are outside it. */
const global6 = toBlockList('ipv6', ['2000::/3']);
/** @see https://www.iana.org/assignments/iana-ipv6-special-registry */
const special6 = toBlockList('ipv6', ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']);

/**
 * Whether an IP address is on the public Internet: not private, loopback, link-local, multicast, reserved, or any of
 * these embedded in IPv6.
 */
export function isPublicAddress(address: string): boolean {
  const version = isIP(address);
  if (version === 4) return !special4.check(address, 'ipv4');
  return version === 6 && global6.check(address, 'ipv6') && !special6.check(address, 'ipv6');
}

function toBlockList(family: 'ipv4' | 'ipv6', networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address, prefix] = network.split('/') as [string, string];
    list.addSubnet(address, Number(prefix), family);
  }
  return list;
}

/** Limits of fetching for a client; plain data. */
export interface FetchLimits {
  /**
   * Whether to fetch from private, loopback, link-local or otherwise non-public addresses: `true` from any, or only
   * from hosts with the given names. Default no.
   */
  readonly allowPrivateNetworks?: boolean | readonly string[] | undefined;
  /** Only fetch from hosts with these names; default any. An empty list allows no URL at all. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Maximum file size; default 20 MiB. */
  readonly maxBytes?: number | undefined;
  /** Timeout, redirects included; default 10 s. */
  readonly timeoutMs?: number | undefined;
}

export interface SafeFetchOptions extends FetchLimits {
  readonly signal?: AbortSignal | undefined;
  /** Resolver of host names; default: the system's. */
  readonly resolve?: ((hostname: string) => Promise<LookupAddress[]>) | undefined;
}

/** Why a URL was not fetched, for the client that sent it. */
export class FetchRefusal extends Error {
  override readonly name = 'FetchRefusal';
}

/** The same message for an unknown name and for an internal address, so that clients can't probe the internal network. */
const notFetched = 'its address is not public or gave no answer';
const maxRedirects = 5;
const redirects = new Set([301, 302, 303, 307, 308]);

/**
 * Fetches a file from an untrusted URL. A host name is resolved once, its addresses are checked, and the connection uses a
 * checked address, so that a second DNS response has no effect. Redirects are followed manually under the same rules.
 */
export async function safeFetch(url: string, options: SafeFetchOptions = {}): Promise<Uint8Array> {
  const { timeoutMs = 10_000, maxBytes = 20 * 2 ** 20 } = options;
  const timeout = AbortSignal.timeout(timeoutMs);
  const signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout;
  try {
    let target = toTarget(url);
    for (let hop = 0; hop <= maxRedirects; hop++) {
      const response = await open(target, options, signal);
      const location = redirects.has(response.statusCode ?? 0) ? response.headers.location : undefined;
      if (location === undefined) return await readBody(response, maxBytes);
      response.destroy();
      target = toTarget(location, target);
    }
    throw new FetchRefusal(`expected at most ${maxRedirects} redirects`);
  } catch (error) {
    if (options.signal?.aborted) throw options.signal.reason;
    if (timeout.aborted)
      throw new FetchRefusal(`fetching it took longer than ${timeoutMs} ms`, { cause: error });
    if (error instanceof FetchRefusal) throw error;
    // The exact network error must not reach the client.
    throw new FetchRefusal(notFetched, { cause: error });
  }
}

function toTarget(url: string, base?: URL): URL {
  const target = URL.canParse(url, base?.href) ? new URL(url, base) : undefined;
  if (target?.protocol !== 'http:' && target?.protocol !== 'https:')
    throw new FetchRefusal('expected an http or https URL');
  if (target.username !== '' || target.password !== '')
    throw new FetchRefusal('expected a URL without a user name and password');
  return target;
}

async function open(url: URL, options: SafeFetchOptions, signal: AbortSignal): Promise<IncomingMessage> {
  const hostname = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (options.allowedHosts && !options.allowedHosts.includes(hostname))
    throw new FetchRefusal('the host is not among those that are allowed');
  const addresses =
    isIP(hostname) === 0
      ? await unlessAborted(signal, (options.resolve ?? resolveHost)(hostname))
      : [{ address: hostname, family: isIP(hostname) }];
  const mayConnect =
    mayBePrivate(hostname, options) || addresses.every(({ address }) => isPublicAddress(address));
  if (addresses.length === 0 || !mayConnect)
    throw new FetchRefusal(notFetched, { cause: new Error(`${hostname} has no public address`) });
  const settings: RequestOptions = {
    agent: false,
    headers: { accept: 'image/*', 'accept-encoding': 'identity', 'user-agent': 'slashv1' },
    lookup: answerWith(addresses),
    signal,
  };
  return new Promise((resolve, reject) => {
    const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, settings, resolve);
    request.on('error', reject);
    // Also without an error, for example after a response that only switches protocols.
    request.on('close', () => reject(new Error('The connection was closed.')));
    request.end();
  });
}

function mayBePrivate(hostname: string, { allowPrivateNetworks = false }: FetchLimits): boolean {
  return typeof allowPrivateNetworks === 'boolean'
    ? allowPrivateNetworks
    : allowPrivateNetworks.includes(hostname);
}

async function readBody(response: IncomingMessage, maxBytes: number): Promise<Uint8Array> {
  try {
    const { statusCode, headers } = response;
    if (statusCode !== 200) throw new FetchRefusal(`expected status 200, got ${statusCode}`);
    if ((headers['content-encoding'] ?? 'identity') !== 'identity')
      throw new FetchRefusal('expected content without content-encoding');
    const tooLarge = () => new FetchRefusal(`expected at most ${maxBytes} bytes`);
    if (Number(headers['content-length']) > maxBytes) throw tooLarge();
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of response as AsyncIterable<Uint8Array>) {
      size += chunk.byteLength;
      if (size > maxBytes) throw tooLarge();
      chunks.push(chunk);
    }
    return Buffer.concat(chunks, size);
  } finally {
    response.destroy();
  }
}

function resolveHost(hostname: string): Promise<LookupAddress[]> {
  return lookup(hostname, { all: true });
}

/** Replaces DNS: returns the checked addresses. */
function answerWith(addresses: readonly LookupAddress[]): LookupFunction {
  return (_hostname, { all }, callback) => {
    const [first] = addresses;
    if (all) callback(null, [...addresses]);
    else callback(null, first!.address, first!.family);
  };
}
