import { addressSpace } from '../../../extension/background/state/address-space';

test.each([
  [
    0,
    [
      'localhost',
      'shop.localhost',
      'localhost.',
      '127.0.0.1',
      '127.9.9.9',
      '0x7f.1',
      '2130706433',
      '0.0.0.0',
      '[::1]',
      '[::]',
    ],
  ],
  [0, ['[::ffff:127.0.0.1]', '[::ffff:7f00:1]']],
  [
    1,
    [
      '10.0.0.1',
      '172.16.0.1',
      '172.31.255.255',
      '192.168.1.1',
      '169.254.169.254',
      '100.64.0.1',
      '100.127.0.1',
      '198.18.0.1',
      '198.19.255.255',
    ],
  ],
  [1, ['[fc00::1]', '[fdff::1]', '[fe80::1]', '[febf::1]', '[::ffff:10.0.0.1]', '[::ffff:192.168.0.1]']],
  [1, ['router', 'printer.local', 'nas.home.arpa', 'metadata.google.internal', 'printer.local.']],
  [1, ['router.lan', 'nas.localdomain', 'wiki.corp', 'wiki.intranet', 'nas.private', 'router.home']],
  [
    2,
    [
      'shop.example',
      'localhost.example',
      'local.example',
      '10.example',
      '11.0.0.1',
      '172.15.0.1',
      '172.32.0.1',
    ],
  ],
  [
    2,
    [
      '192.169.0.1',
      '169.253.0.1',
      '100.63.0.1',
      '100.128.0.1',
      '198.17.0.1',
      '198.20.0.1',
      '8.8.8.8',
      '[2001:db8::1]',
      '[::ffff:8.8.8.8]',
      '[fec0::1]',
    ],
  ],
])('address space %i: %j', (space, hosts) => {
  expect(hosts.map((host) => addressSpace(`http://${host}:8080/x`))).toEqual(hosts.map(() => space));
});
