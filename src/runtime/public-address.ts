import { BlockList, isIP } from 'node:net';

/** Ranges that are no address of a host on the public Internet. @see https://www.iana.org/assignments/iana-ipv4-special-registry */
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

/** The one public part of IPv6; IPv4-mapped, local and multicast addresses lie outside of it. */
const global6 = toBlockList('ipv6', ['2000::/3']);
/** @see https://www.iana.org/assignments/iana-ipv6-special-registry */
const special6 = toBlockList('ipv6', ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']);

/**
 * Whether an IP address belongs to a host on the public Internet: not private, loopback, link-local, multicast, reserved, or
 * any of these in the clothes of IPv6.
 */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !special4.check(address, 'ipv4');
    case 6:
      return global6.check(address, 'ipv6') && !special6.check(address, 'ipv6');
    default:
      return false;
  }
}

function toBlockList(family: 'ipv4' | 'ipv6', networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address, prefix] = network.split('/') as [string, string];
    list.addSubnet(address, Number(prefix), family);
  }
  return list;
}
