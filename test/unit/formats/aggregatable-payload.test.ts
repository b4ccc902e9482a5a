import { createHmac, createPrivateKey, createPublicKey, diffieHellman, createDecipheriv } from 'node:crypto';
import fc from 'fast-check';
import { type AggregatableContribution } from '../../../src/model/aggregatable';
import { seededRandomSource } from '../../../analysis/random/sources';
import {
  decodePayload,
  encodePayload,
  CONTRIBUTIONS_PER_REPORT,
} from '../../../formats/reports/aggregatable-payload';
import { openPayload, sealPayload } from '../../../formats/reports/seal-in-browser';
import type { OpenPayload, SealPayload } from '../../../formats/reports/sealed-payload';
import { openWithOpenSsl, sealWithOpenSsl } from '../../../node/sealing';
import { english } from '../../../words/english';
import type { AggregatableApi } from '../../../formats/reports/aggregatable-report';

const hex = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'hex'));
const apis = Object.keys(CONTRIBUTIONS_PER_REPORT) as AggregatableApi[];

/* RFC 9180, appendix A.2.1: X25519, HKDF-SHA256 and ChaCha20-Poly1305 in base mode. */
const rfc = {
  info: '4f6465206f6e2061204772656369616e2055726e',
  enc: '1afa08d3dec047a643885163f1180476fa7ddb54c6a8029ea33f95796bf2ac4a',
  privateKey: '8057991eef8f1f1af18f4a9491d16a1ce333f695d4db8e38da75975c4478e0fb',
  aad: '436f756e742d30',
  plaintext: '4265617574792069732074727574682c20747275746820626561757479',
  ciphertext: '1c5250d8034ec2b784ba2cfd69dbdb8af406cfe3ff938e131f0def8c8b60b4db21993c62ce81883d2dd1b51a28',
};

/** Opens the first message of a context as RFC 9180 says, with Node's own cryptography. */
function openAsInRfc(
  enc: Uint8Array,
  ciphertext: Uint8Array,
  secret: Uint8Array,
  info: Uint8Array,
  aad: Uint8Array,
): Uint8Array {
  const der = (prefix: string, key: Uint8Array): Buffer => Buffer.concat([Buffer.from(prefix, 'hex'), key]);
  const privateKey = createPrivateKey({
    key: der('302e020100300506032b656e04220420', secret),
    format: 'der',
    type: 'pkcs8',
  });
  const spki = '302a300506032b656e032100';
  const publicKey = createPublicKey({ key: der(spki, enc), format: 'der', type: 'spki' });
  const own = createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(-32);
  const hmac = (key: Uint8Array, ...parts: readonly Uint8Array[]): Buffer =>
    createHmac('sha256', key).update(Buffer.concat(parts)).digest();
  const extract = (suite: Buffer, salt: Uint8Array, label: string, input: Uint8Array): Buffer =>
    hmac(
      salt.length === 0 ? Buffer.alloc(32) : salt,
      Buffer.from('HPKE-v1'),
      suite,
      Buffer.from(label),
      input,
    );
  const expand = (suite: Buffer, key: Uint8Array, label: string, info: Uint8Array, length: number): Buffer =>
    hmac(
      key,
      Buffer.from([0, length]),
      Buffer.from('HPKE-v1'),
      suite,
      Buffer.from(label),
      info,
      Buffer.from([1]),
    ).subarray(0, length);
  const kem = Buffer.concat([Buffer.from('KEM'), Buffer.from([0, 0x20])]);
  const eae = extract(kem, Buffer.alloc(0), 'eae_prk', diffieHellman({ privateKey, publicKey }));
  const shared = expand(kem, eae, 'shared_secret', Buffer.concat([enc, own]), 32);
  const hpke = Buffer.concat([Buffer.from('HPKE'), Buffer.from([0, 0x20, 0, 1, 0, 3])]);
  const context = Buffer.concat([
    Buffer.from([0]),
    extract(hpke, Buffer.alloc(0), 'psk_id_hash', Buffer.alloc(0)),
    extract(hpke, Buffer.alloc(0), 'info_hash', info),
  ]);
  const key = extract(hpke, shared, 'secret', Buffer.alloc(0));
  const decipher = createDecipheriv(
    'chacha20-poly1305',
    expand(hpke, key, 'key', context, 32),
    expand(hpke, key, 'base_nonce', context, 12),
    { authTagLength: 16 },
  );
  decipher.setAAD(aad, { plaintextLength: ciphertext.length - 16 });
  decipher.setAuthTag(ciphertext.subarray(-16));
  return Buffer.concat([decipher.update(ciphertext.subarray(0, -16)), decipher.final()]);
}

const secret = hex(rfc.privateKey);
const key = {
  id: 'k',
  key: hex('4310ee97d88cc1f088a5576c77ab0cf5c3ac797f3d95139c6c84b5429c59662a'),
};

const implementations: Readonly<Record<string, { readonly seal: SealPayload; readonly open: OpenPayload }>> =
  {
    JavaScript: { seal: sealPayload, open: openPayload },
    OpenSSL: { seal: sealWithOpenSsl, open: openWithOpenSsl },
  };

describe.each(Object.entries(implementations))('a payload that %s sealed', (_, { seal, open }) => {
  it('is what another implementation, which has the vectors of RFC 9180, opens', async () => {
    const vector = openAsInRfc(hex(rfc.enc), hex(rfc.ciphertext), secret, hex(rfc.info), hex(rfc.aad));
    expect(Buffer.from(vector).toString('hex')).toBe(rfc.plaintext);
    const payload = encodePayload([], 'attribution-reporting', 1);
    const sealed = await seal(payload, '{"api":"x"}', key, seededRandomSource('seal', 0));
    const info = new TextEncoder().encode('aggregation_service{"api":"x"}');
    const opened = openAsInRfc(sealed.subarray(0, 32), sealed.subarray(32), secret, info, new Uint8Array());
    expect(new Uint8Array(opened)).toEqual(payload);
  });

  it('opens only with its shared info and key, and with every bit as it was', async () => {
    const payload = encodePayload([{ key: 1n, value: 2, filteringId: 3n }], 'attribution-reporting-debug', 1);
    const sealed = await seal(payload, 'info', key, seededRandomSource('bits', 0));
    expect(await open(sealed, 'info', secret)).toEqual(payload);
    expect(await open(sealed, 'Info', secret)).toBeNull();
    expect(
      await open(
        sealed,
        'info',
        secret.map((byte) => byte ^ 8),
      ),
    ).toBeNull();
    for (const length of [0, 20, 31, 32, 47, 48])
      expect(await open(sealed.subarray(0, length), 'info', secret)).toBeNull();
    expect(await open(new Uint8Array(100), 'info', secret)).toBeNull();
    for (let index = 0; index < sealed.length; index++) {
      const changed = Uint8Array.from(sealed);
      changed[index] = (sealed[index] ?? 0) ^ (1 << (index % 8));
      // X25519 ignores the highest bit of a public key; the key schedule has it.
      expect(await open(changed, 'info', secret)).toBeNull();
    }
  });

  it('differs from the one before', async () => {
    const random = seededRandomSource('twice', 0);
    const payload = encodePayload([], 'attribution-reporting', 1);
    const first = await seal(payload, '', key, random);
    expect(await seal(payload, '', key, random)).not.toEqual(first);
  });

  it('cannot be sealed for a point of small order', async () => {
    const nobody = { id: 'k', key: new Uint8Array(32) };
    await expect(
      (async () => seal(new Uint8Array(1), '', nobody, seededRandomSource('small', 0)))(),
    ).rejects.toThrow();
  });
});

const contributions = (api: AggregatableApi, maxBytes: number): fc.Arbitrary<AggregatableContribution[]> =>
  fc.array(
    fc.record({
      key: fc.bigInt(0n, 2n ** 128n - 1n),
      value: fc.integer({ min: 1, max: Math.floor(65_536 / CONTRIBUTIONS_PER_REPORT[api]) }),
      filteringId: fc.bigInt(0n, 256n ** BigInt(maxBytes) - 1n),
    }),
    { maxLength: CONTRIBUTIONS_PER_REPORT[api] },
  );

describe('a plaintext payload', () => {
  it('is read as it was written, whatever the contributions', async () => {
    const anyPayload = fc
      .tuple(fc.constantFrom(...apis), fc.integer({ min: 1, max: 8 }))
      .chain(([api, maxBytes]) =>
        fc.tuple(fc.constant(api), fc.constant(maxBytes), contributions(api, maxBytes)),
      );
    await fc.assert(
      fc.asyncProperty(anyPayload, fc.string(), async ([api, maxBytes, given], sharedInfo) => {
        const payload = encodePayload(given, api, maxBytes);
        const sealed = await sealPayload(payload, sharedInfo, key, seededRandomSource(sharedInfo, 1));
        expect(sealWithOpenSsl(payload, sharedInfo, key, seededRandomSource(sharedInfo, 1))).toEqual(sealed);
        const opened = await openPayload(sealed, sharedInfo, secret);
        expect(openWithOpenSsl(sealed, sharedInfo, secret)).toEqual(opened);
        const { value } = decodePayload(opened ?? new Uint8Array(), api);
        const empty = { key: 0n, value: 0, filteringId: 0n };
        expect(value).toEqual(
          Array.from({ length: CONTRIBUTIONS_PER_REPORT[api] }, (_, i) => given[i] ?? empty),
        );
      }),
      { numRuns: 30, seed: 1 },
    );
  });

  it('has the length of a full one, and the bytes of Chromium', () => {
    const [one, two] = [1, 2].map((count) =>
      encodePayload(
        Array<AggregatableContribution>(count).fill({ key: 5n, value: 6, filteringId: 7n }),
        'attribution-reporting',
        2,
      ),
    );
    expect(one?.length).toBe(two?.length);
    // {"data": [{"id": h'00', "value": h'00000002', "bucket": h'…01'}, …], "operation": "histogram"}
    const debug = encodePayload([{ key: 1n, value: 2, filteringId: 0n }], 'attribution-reporting-debug', 1);
    const item = (value: string, bucket: string): string =>
      `a362696441006576616c756544${value}666275636b657450${bucket.padStart(32, '0')}`;
    expect(Buffer.from(debug).toString('hex')).toBe(
      `a2646461746182${item('00000002', '1')}${item('00000000', '0')}696f7065726174696f6e69686973746f6772616d`,
    );
  });

  it.each([
    ['no CBOR', 'ff', 'must be a payload in CBOR, was null'],
    ['lists without end', '81'.repeat(50_000), 'must be a payload in CBOR, was null'],
    ['no map', '80', 'must be an object, was []'],
    [
      'an operation of its own',
      'a2646461746180696f7065726174696f6e6373756d',
      'operation: must be "histogram", was "sum"',
    ],
    ['a negative value', itemWith('value', '20'), 'data[0].value: must be 4 bytes, was -1'],
    [
      'a value of five bytes',
      itemWith('value', '450000000001'),
      'data[0].value: must be 4 bytes, was "0x0000000001"',
    ],
    ['a key of one byte', itemWith('bucket', '4101'), 'data[0].bucket: must be 16 bytes, was "0x01"'],
    ['an empty filtering id', itemWith('id', '40'), 'data[0].id: must be 1 to 8 bytes, was "0x"'],
    [
      'more than the budget',
      itemWith('value', '4400010001'),
      'must have contributions of at most 65536 in all, has 65537',
    ],
  ])('with %s is refused', (_, bytes, message) => {
    const { value, errors } = decodePayload(hex(bytes), 'attribution-reporting');
    expect(value).toBeNull();
    expect(errors.map((issue) => english.issueText(issue))[0]).toBe(message);
  });

  it.each([0, 7, 30])('with another byte in place of byte %i of the layout is read as CBOR', (index) => {
    const payload = encodePayload([{ key: 1n, value: 2, filteringId: 3n }], 'attribution-reporting', 1);
    payload[index] = (payload[index] ?? 0) ^ 1;
    expect(decodePayload(payload, 'attribution-reporting').value).toBeNull();
  });

  it('in our layout with more than the budget is refused', () => {
    const half = { key: 1n, value: 32_769, filteringId: 0n };
    const payload = encodePayload([half, half], 'attribution-reporting', 3);
    expect(
      decodePayload(payload, 'attribution-reporting').errors.map((issue) => english.issueText(issue)),
    ).toEqual(['must have contributions of at most 65536 in all, has 65538']);
  });

  it('with more contributions than a report has is refused', () => {
    const full = encodePayload([], 'attribution-reporting', 1);
    const { value, errors } = decodePayload(full, 'attribution-reporting-debug');
    expect(value).toBeNull();
    expect(errors.map((issue) => english.issueText(issue))).toEqual([
      'data: must have at most 2 items, has 20',
    ]);
  });
});

/** A payload of one contribution, one field of which is the given CBOR, in hexadecimal. */
function itemWith(name: string, cbor: string): string {
  const fields: Readonly<Record<string, string>> = {
    id: '4100',
    value: '4400000001',
    bucket: '5000000000000000000000000000000001',
  };
  const text = (value: string): string =>
    (0x60 + value.length).toString(16) + Buffer.from(value).toString('hex');
  const item = Object.entries({ ...fields, [name]: cbor }).map(([field, value]) => text(field) + value);
  return `a2${text('data')}81a3${item.join('')}${text('operation')}${text('histogram')}`;
}
