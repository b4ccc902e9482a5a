import { createPublicKey, verify } from 'node:crypto';
import type { Json, JsonObject } from '../../../src/model/json';
import { relationOf, type Relation } from '../../../extension/consent/trial-relation';
import { readTrial, signerOf, type ReadTrial } from '../../../formats/settings/trial-signature';
import { english } from '../../../words/english';
import { Researcher } from '../helpers/trial-key';
import { unlimited } from '../helpers/budgets';

const [researcher, stranger] = [new Researcher(), new Researcher()];

const trial: JsonObject = {
  id: 'ad-recall-2027',
  version: 2,
  title: 'Ad recall',
  researcher: { name: 'University of Example', contact: 'trial@uni.example' },
  information: { en: 'English', de: 'Deutsch' },
  settings: { ...unlimited, collector: 'https://collector.example' },
  end: '2027-03-31T18:00Z',
};

const problemsOf = async (document: Json): Promise<readonly string[]> =>
  (await readTrial(document)).errors.map(english.issueText);

async function read(document: Json): Promise<ReadTrial> {
  const { value, errors } = await readTrial(document);
  if (value === null) throw new Error(JSON.stringify(errors));
  return value;
}

test('who signed a trial is read from it, in any order of its fields', async () => {
  const signed = await researcher.sign(trial);
  const { publicKey } = researcher;
  expect((await read(signed)).signer).toEqual(await signerOf(publicKey));
  expect((await read(Object.fromEntries(Object.entries(signed).reverse()))).signer?.publicKey).toBe(
    publicKey,
  );
  expect((await read(trial)).signer).toBeNull();
});

/** A signature with S = 0 that fits each text, or one in eight, if the key is of small order. */
const forgeries = [
  ['0', '00'.repeat(32)],
  ['1', `01${'00'.repeat(31)}`],
  ['1 with the other sign', `01${'00'.repeat(30)}80`],
  ['−1', `ec${'ff'.repeat(30)}7f`],
  ['p', `ed${'ff'.repeat(30)}7f`],
  ['p + 1', `ee${'ff'.repeat(30)}7f`],
  ['of order 8', '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05'],
  ['of order 8 with the other sign', '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85'],
  ['of order 8, the other', 'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a'],
] as const;

test.each(forgeries)('nobody signs with a key for which anybody can sign: %s', async (_, key) => {
  const base64 = (hex: string): string => Buffer.from(hex, 'hex').toString('base64url');
  for (const [, point] of forgeries) {
    const signature = { publicKey: base64(key), value: base64(point + '00'.repeat(32)) };
    for (let version = 1; version <= 16; version++)
      expect(await problemsOf({ ...trial, version, signature })).toEqual([
        expect.stringMatching(/^signature\.value: does not fit/),
      ]);
  }
});

test('the signature is Ed25519 over a prefix and the canonical JSON without its value', async () => {
  const { signature, ...rest } = (await researcher.sign(trial)) as {
    readonly signature: Record<string, string>;
  };
  const { publicKey = '', value = '' } = signature;
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: publicKey }, format: 'jwk' });
  // The fields of this trial are in canonical order when they are sorted by name.
  const sorted = Object.fromEntries(
    Object.entries({ ...rest, signature: { publicKey } }).sort(([a], [b]) => (a < b ? -1 : 1)),
  );
  const inOrder = { destination: 1e6, epsilon: 1e6, reportingSite: 1e6, sourceSite: 1e6 };
  const text = JSON.stringify({
    ...sorted,
    information: { de: 'Deutsch', en: 'English' },
    researcher: { contact: 'trial@uni.example', name: 'University of Example' },
    settings: { budget: { joint: inOrder }, collector: 'https://collector.example' },
  });
  const isValid = (signed: string): boolean =>
    verify(null, Buffer.from(signed), key, Buffer.from(value, 'base64url'));
  expect(isValid(`cointoss-trial-v1\n${text}`)).toBe(true);
  expect(isValid(text)).toBe(false);
});

test('the fingerprint is the beginning of the SHA-256 of the key', async () => {
  // 32 zero bytes.
  expect(await signerOf('A'.repeat(43))).toMatchObject({
    fingerprint: '6668 7aad f862 bd77 6c8f c18b 8e9f 8e20',
  });
});

test.each(['title', 'version', 'end', 'settings', 'researcher', 'id', 'information'])(
  'a signed trial whose %s was changed is refused',
  async (field) => {
    const changed: JsonObject = {
      title: 'Other',
      version: 3,
      end: '2027-03-30T18:00Z',
      settings: { ...unlimited, collector: 'https://stranger.example' },
      researcher: { name: 'University of Example', contact: 'stranger@uni.example' },
      id: 'other',
      information: { en: 'English' },
    };
    const signed = await researcher.sign(trial);
    const [problem, ...more] = await problemsOf({ ...signed, [field]: changed[field] ?? null });
    expect([problem, more]).toEqual([expect.stringMatching(/^signature\.value: does not fit: /), []]);
  },
);

test('a signature with the key of another, or of another trial, is refused', async () => {
  const [mine, theirs] = [await researcher.sign(trial), await stranger.sign(trial)];
  const swapped = { ...(theirs['signature'] as JsonObject), publicKey: researcher.publicKey };
  expect(await problemsOf({ ...mine, signature: swapped })).toEqual([
    expect.stringMatching(/^signature\.value/),
  ]);
  const later = await researcher.sign({ ...trial, version: 3 });
  expect(await problemsOf({ ...trial, signature: later['signature'] ?? null })).toHaveLength(1);
});

test.each<[string, Json, string]>([
  [
    'a key that is too short',
    { publicKey: 'AAAA', value: 'A'.repeat(86) },
    'signature.publicKey: must be 32 bytes in Base64',
  ],
  [
    'a value that is no Base64',
    { publicKey: 'A'.repeat(43), value: '+'.repeat(86) },
    'signature.value: must be 64 bytes',
  ],
  ['no value', { publicKey: 'A'.repeat(43) }, 'signature: must have the field "value"'],
  [
    'more',
    { publicKey: 'A'.repeat(43), value: 'A'.repeat(86), by: 'me' },
    'signature.by: is not a known field',
  ],
  [
    'a key that is no point',
    { publicKey: '_'.repeat(43), value: 'A'.repeat(86) },
    'signature.value: does not fit',
  ],
])('a signature with %s is refused, naming the place', async (_what, signature, message) => {
  expect((await problemsOf({ ...trial, signature }))[0]).toContain(message);
});

test('what has no canonical JSON is refused with its place, signed or to be signed', async () => {
  const rule = {
    id: 'r',
    matches: ['https://shop.example/*'],
    on: 'visit',
    register: 'trigger',
    reportingOrigin: 'https://ads.example',
    registration: { extra: 2 ** 53 },
  };
  const odd = { ...trial, settings: { ...unlimited, rules: [rule] } };
  await expect(researcher.sign(odd)).rejects.toThrow('settings.rules[0].registration.extra');
  const { signature = null } = await researcher.sign(trial);
  expect(await problemsOf({ ...odd, signature })).toEqual([
    expect.stringMatching(/^settings\.rules\[0\]\.registration\.extra: must be within/),
  ]);
});

const later = { ...trial, version: 3 };

describe('what an offered trial is to the one that was agreed to', () => {
  test.each<[string, JsonObject, Relation]>([
    ['itself', trial, 'same'],
    ['with an earlier end', { ...later, end: '2027-02-01T00:00Z' }, 'shortened'],
    ['with nothing but a higher version', later, 'shortened'],
    ['with the same end, written otherwise', { ...later, end: '2027-03-31T20:00+02:00' }, 'shortened'],
    ['with a later end', { ...later, end: '2027-03-31T18:01Z' }, 'change'],
    [
      'with another collector',
      { ...later, settings: { ...unlimited, collector: 'https://other.example' } },
      'change',
    ],
    ['with another text', { ...later, information: { en: 'Other' } }, 'change'],
    ['with another id', { ...later, id: 'other' }, 'another'],
    ['with an earlier end, but the same version', { ...trial, end: '2027-02-01T00:00Z' }, 'replay'],
    ['with an earlier version', { ...trial, version: 1, title: 'First' }, 'replay'],
  ])('%s', async (_what, offered, expected) => {
    const agreed = await read(await researcher.sign(trial));
    expect(relationOf(agreed, await read(await researcher.sign(offered)), false)).toBe(expected);
    const byAnother = await read(await stranger.sign(offered));
    expect([relationOf(agreed, byAnother, false), relationOf(agreed, byAnother, true)]).toEqual([
      'another',
      'another',
    ]);
    const unsigned = await read(offered);
    expect([relationOf(agreed, unsigned, false), relationOf(agreed, unsigned, true)]).toEqual([
      'another',
      'another',
    ]);
  });

  test.each<[string, JsonObject, Relation, Relation]>([
    ['itself', trial, 'same', 'same'],
    ['with an earlier end', { ...trial, end: '2027-02-01T00:00Z' }, 'another', 'shortened'],
    ['with another collector', { ...trial, settings: unlimited }, 'another', 'change'],
    ['with another id', { ...trial, id: 'other' }, 'another', 'another'],
  ])('not signed, %s', async (_what, offered, fromFile, byPolicy) => {
    const [agreed, other] = [await read(trial), await read(offered)];
    expect([relationOf(agreed, other, false), relationOf(agreed, other, true)]).toEqual([fromFile, byPolicy]);
  });
});
