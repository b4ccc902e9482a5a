import { NO_SEAL } from '../../../extension/eligibility-mark';
import { isSealFor, sealFor, sealKeyOf, sipHash, type SealKey } from '../../../extension/seal';

const key: SealKey = [0x0706050403020100n, 0x0f0e0d0c0b0a0908n];
const uuid = '8c5b2aa9-d7e0-4798-88ec-8f36625080ae';

// Of the reference implementation, for messages 00 01 02 … of this length.
test.each([
  [0, 0x726fdb47dd0e0e31n],
  [1, 0x74f839c593dc67fdn],
  [8, 0x93f5f5799a932462n],
  [15, 0xa129ca6149be45e5n],
])('SipHash-2-4 of %i bytes is that of the reference implementation', (length, hash) => {
  expect(
    sipHash(
      key,
      Uint8Array.from({ length }, (_, index) => index),
    ),
  ).toBe(hash);
});

/** They differ in one part each. */
const origins = [
  ...['https://a.example', 'http://a.example', 'https://a.example:8443', 'https://b.example'],
  ...['https://www.a.example', 'https://xn--bcher-kva.example', 'http://localhost:8080', 'http://[::1]:8080'],
];
const nonces = [0n, 1n, 0x8000000000000000n, 0x0123456789abcdefn, (1n << 64n) - 1n];

test('a seal is valid for its own origin and key only', () => {
  for (const own of origins)
    for (const nonce of nonces) {
      const seal = sealFor(key, own, nonce);
      expect(origins.filter((origin) => isSealFor(key, seal, origin))).toEqual([own]);
      expect(isSealFor([key[0], key[1] + 1n], seal, own)).toBe(false);
      expect(isSealFor(null, seal, own)).toBe(false);
    }
});

test('a document without an origin has no seal', () => {
  expect(sealFor(key, 'null', 7n)).toBe(NO_SEAL);
});

test('without a key there is no seal, and none is valid', () => {
  const seal = sealFor(null, 'https://a.example', 7n);
  expect(seal).toBe(NO_SEAL);
  for (const one of [key, null]) expect(isSealFor(one, seal, 'https://a.example')).toBe(false);
});

test.each([
  ['Chrome', `chrome-extension://abcdefgh/`, uuid, true],
  ['Firefox', `moz-extension://${uuid}/`, undefined, true],
  // The id that every copy has is no secret.
  ['a Chrome without dynamic ids', 'chrome-extension://hepkloomecjifpknhefajlpecehaaiho/', undefined, false],
])('the key of %s', (_what, url, dynamicId, isThere) => {
  const runtime = { getURL: () => url, ...(dynamicId === undefined ? {} : { dynamicId }) };
  expect(sealKeyOf(runtime)).toEqual(isThere ? [0x8c5b2aa9d7e04798n, 0x88ec8f36625080aen] : null);
});
