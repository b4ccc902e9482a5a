import { KeyObject, webcrypto } from 'node:crypto';
import { RSABSSA } from '@cloudflare/blindrsa-ts';
import type { JsonObject } from '../../../src/model/json';
import { parseTrial, serializeTrial } from '../../../formats/settings/parse-trial';
import { periodAt } from '../../../formats/settings/parse-tokens';
import { toBase64Url } from '../../../formats/codec/base64-url';
import { invitationOf, readInvitation } from '../../../formats/tokens/issuance';
import { authorizationOf, readToken, sha256 } from '../../../formats/tokens/token';
import { keyIdOf, modulusOf } from '../../../formats/tokens/token-key';
import { blindBatch, finishBatch } from '../../../extension/background/tokens/blind-batch';
import { blindSign } from '../../../collector/intake/token-keys';
import { moment } from '../../../src/model/units';
import { newTokenKey, TokenTrial } from '../helpers/tokens';

const hex = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.from(Buffer.from(text, 'hex'));

/** RFC 9578, appendix B.2, the first test vector. */
const vector = {
  publicKey:
    '30820152303d06092a864886f70d01010a3030a00d300b0609608648016503040202a11a301806092a864886f70d010108300b0609608648016503040202a2030201300382010f003082010a0282010100cb1aed6b6a95f5b1ce013a4cfcab25b94b2e64a23034e4250a7eab43c0df3a8c12993af12b111908d4b471bec31d4b6c9ad9cdda90612a2ee903523e6de5a224d6b02f09e5c374d0cfe01d8f529c500a78a2f67908fa682b5a2b430c81eaf1af72d7b5e794fc98a3139276879757ce453b526ef9bf6ceb99979b8423b90f4461a22af37aab0cf5733f7597abe44d31c732db68a181c6cbbe607d8c0e52e0655fd9996dc584eca0be87afbcd78a337d17b1dba9e828bbd81e291317144e7ff89f55619709b096cbb9ea474cead264c2073fe49740c01f00e109106066983d21e5f83f086e2e823c879cd43cef700d2a352a9babd612d03cad02db134b7e225a5f0203010001',
  challenge:
    '0002000e6973737565722e6578616d706c65208e7acc900e393381e8810b7c9e4a68b5163f1f880ab6688a6ffe780923609e88000e6f726967696e2e6578616d706c65',
  nonce: 'aa72019d1f951df197021ce63876fe8b0a02dc1c31a12b0a2dd1508d07827f05',
  token:
    '0002aa72019d1f951df197021ce63876fe8b0a02dc1c31a12b0a2dd1508d07827f055969f643b4cfda5196d4aa86aeb5368834f4f06de46950ed435b3b81bd036d44ca572f8982a9ca248a3056186322d93ca147266121ddeb5632c07f1f71cd2708bc6a21b533d07294b5e900faf5537dd3eb33cee4e08c9670d1e5358fd184b0e00c637174f5206b14c7bb0e724ebf6b56271e5aa2ed94c051c4a433d302b23bc52460810d489fb050f9de5c868c6c1b06e3849fd087629f704cc724bc0d0984d5c339686fcdd75f9a9cdd25f37f855f6f4c584d84f716864f546b696d620c5bd41a811498de84ff9740ba3003ba2422d26b91eb745c084758974642a42078201543246ddb58030ea8e722376aa82484dca9610a8fb7e018e396165462e17a03e40ea7e128c090a911ecc708066cb201833010c1ebd4e910fc8e27a1be467f78671836a508257123a45e4e0ae2180a434bd1037713466347a8ebe46439d3da1970',
};

test('keys and tokens have the bytes of RFC 9578', async () => {
  const key = toBase64Url(hex(vector.publicKey));
  expect(Buffer.from(modulusOf(key) ?? []).toString('hex')).toMatch(/^cb1aed6b.*7e225a5f$/);
  const bytes = hex(vector.token);
  const token = readToken(authorizationOf(bytes.slice(0, 98), bytes.slice(98)));
  expect(Buffer.from(token?.nonce ?? []).toString('hex')).toBe(vector.nonce);
  expect(token?.keyId).toEqual(await keyIdOf(key));
  expect(token?.challengeDigest).toEqual(await sha256(hex(vector.challenge)));
});

test('what the device makes of a blind signature, any library of RSA-PSS verifies', async () => {
  const trial = new TokenTrial(2);
  const key = trial.keyText();
  const [{ privateKey, publicKey } = null as never] = trial.issuing();
  const blind = await blindBatch(key, new Uint8Array(32), 2);
  const signatures = blind.map(({ blinded }) =>
    toBase64Url(blindSign({ privateKey, publicKey }, Buffer.from(blinded, 'base64url')) ?? new Uint8Array()),
  );
  const suite = RSABSSA.SHA384.PSS.Deterministic();
  const web = await webcrypto.subtle.importKey(
    'jwk',
    { ...publicKey.export({ format: 'jwk' }), alg: 'PS384' },
    { name: 'RSA-PSS', hash: 'SHA-384' },
    true,
    ['verify'],
  );
  for (const header of await finishBatch(key, blind, signatures)) {
    const { authenticator, input } = readToken(header) ?? {
      authenticator: null as never,
      input: null as never,
    };
    expect(await suite.verify(web, authenticator, input)).toBe(true);
  }
  expect(KeyObject.from(web).equals(publicKey)).toBe(true);
});

test('a signature by a key that one device alone was served is refused on the device', async () => {
  const [trial, apart] = [new TokenTrial(1), new TokenTrial(1, undefined, [newTokenKey(), newTokenKey()])];
  const [{ privateKey, publicKey } = null as never] = apart.issuing();
  const blind = await blindBatch(trial.keyText(), new Uint8Array(32), 1);
  const signature = blindSign({ privateKey, publicKey }, Buffer.from(blind[0]?.blinded ?? '', 'base64url'));
  await expect(
    finishBatch(trial.keyText(), blind, [toBase64Url(signature ?? new Uint8Array(256).fill(1))]),
  ).rejects.toThrow('invalid signature');
});

test('a trial states one key for each period, in order, and says what is wrong with them', () => {
  const { document } = new TokenTrial(7);
  const { value: trial } = parseTrial(document);
  expect(trial?.tokens?.batch).toBe(7);
  expect(trial?.tokens?.periods).toHaveLength(4);
  expect(periodAt(trial?.tokens ?? { batch: 1, periods: [] }, moment(Date.now()))).toBe(
    trial?.tokens?.periods[1],
  );
  expect(parseTrial(serializeTrial(trial as never)).value?.tokens).toEqual(trial?.tokens);
  const tokens = document['tokens'] as JsonObject;
  const periods = tokens['periods'] as JsonObject[];
  const wrong = (changed: object): readonly string[] =>
    parseTrial({ ...document, tokens: { ...tokens, ...changed } }).errors.map(
      ({ code, path }) => `${path} ${code}`,
    );
  expect(wrong({ batch: 0 })).toEqual(['tokens.batch must-be']);
  expect(wrong({ periods: [...periods].reverse() })[0]).toBe('tokens.periods[1] periods-not-in-order');
  expect(wrong({ until: periods[3]?.['from'] as string })).toEqual(['tokens.until periods-not-in-order']);
  expect(wrong({ periods: [{ ...periods[0], key: 'AAAA' }] })).toEqual(['tokens.periods[0].key must-be']);
  expect(wrong({ more: 1 })).toEqual(['tokens.more unknown-field']);
  const settings = { ...(document['settings'] as JsonObject), collector: null };
  expect(parseTrial({ ...document, settings }).errors.map(({ code }) => code)).toEqual([
    'tokens-without-collector',
  ]);
  const givingUp = { ...(document['settings'] as JsonObject), deliveryProfile: 'chrome' };
  expect(
    parseTrial({ ...document, settings: givingUp }).errors.map(({ code, path }) => `${path} ${code}`),
  ).toEqual(['settings.deliveryProfile tokens-given-up']);
});

test('an invitation code can be typed as it is read', () => {
  const code = invitationOf(Uint8Array.from({ length: 20 }, (_, index) => index));
  expect(code).toBe('01234-56789-ABCDE-FGHJK');
  expect(readInvitation(' o1234 56789-abcdefghjk\n')).toBe('0123456789ABCDEFGHJK');
  expect(readInvitation('i1234-56789-ABCDE-FGHJK')).toBe('1123456789ABCDEFGHJK');
  for (const wrong of ['', '01234-56789-ABCDE-FGHJ', '01234-56789-ABCDE-FGHJU'])
    expect(readInvitation(wrong)).toBeNull();
});
