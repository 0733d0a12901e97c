import { expect, it } from 'vitest';
import { addressKey, networkOf } from '../../../integration/features/accounts/address.ts';

it.each([
  ['203.0.113.7', '203.0.113.7'],
  ['203.0.113.7:52311', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['::FFFF:cb00:7107', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002::1', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['[2001:db8:1:2::9]:443', '2001:db8:1:2::/64'],
  ['[2001:db8:1:2::9]', '2001:db8:1:2::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['127.0.0.1', '127.0.0.1'],
  [undefined, 'unknown'],
  ['', 'unknown'],
  ['no address', 'no address'],
  [`1:${'f'.repeat(5000)}`, `1:${'f'.repeat(62)}`],
])('%s counts as %s', (address, key) => {
  expect(addressKey(address)).toBe(key);
});

it.each([
  ['203.0.113.7', '203.0.113.0/24'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
  ['2001:db8::1', '2001:db8:0::/48'],
  ['::ffff:203.0.113.7', '203.0.113.0/24'],
  ['no address', 'no address'],
  [undefined, 'unknown'],
])('%s is in the network %s', (address, network) => {
  expect(networkOf(addressKey(address))).toBe(network);
});
