/**
 * The key of a client address for rate limits: the IPv4 address, or the /64 network of an IPv6 address, because a
 * customer usually has all of it. IPv4-mapped addresses, ports and zones are normalized. Other strings stay unchanged.
 */
export function addressKey(address: string | undefined): string {
  const written = (address ?? '').trim().slice(0, MAX_ADDRESS_LENGTH);
  const [bare = ''] = written.split('%', 1);
  const bracketed = /^\[?([0-9a-f.]*:[0-9a-f.]*:[0-9a-f:.]*)(\]:\d+|\])?$/i.exec(bare)?.[1];
  const url = `http://${bracketed === undefined ? bare : `[${bracketed}]`}`;
  if (!URL.canParse(url)) return written.toLowerCase() || 'unknown';
  const { hostname } = new URL(url);
  if (!hostname.startsWith('[')) return hostname || 'unknown';
  const groups = expand(hostname.slice(1, -1));
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (isMapped) {
    const [high = 0, low = 0] = groups.slice(6);
    return [high >> 8, high & 255, low >> 8, low & 255].join('.');
  }
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`;
}

/** The network of an `addressKey`: the /24 of an IPv4 address, the /48 of an IPv6 address, else the key itself. */
export function networkOf(key: string): string {
  const [, ipv4] = /^(\d+\.\d+\.\d+)\.\d+$/.exec(key) ?? [];
  if (ipv4 !== undefined) return `${ipv4}.0/24`;
  const [, ipv6] = /^([\da-f]+:[\da-f]+:[\da-f]+):[\da-f]+::\/64$/.exec(key) ?? [];
  return ipv6 === undefined ? key : `${ipv6}::/48`;
}

const MAX_ADDRESS_LENGTH = 64;

/** The eight groups of an IPv6 address as the URL parser writes it. */
function expand(address: string): readonly number[] {
  const [head = '', tail] = address.split('::');
  const groupsOf = (text: string) => text.split(':').filter((group) => group !== '');
  const before = groupsOf(head);
  const after = groupsOf(tail ?? '');
  const gap = tail === undefined ? [] : Array<string>(8 - before.length - after.length).fill('0');
  return [...before, ...gap, ...after].map((group) => Number.parseInt(group, 16));
}
