import { keyOf } from '../../../src/store/rows';

test('sites are shorter in keys, and stay different', () => {
  const sites = ['https://a.example', 'http://a.example', 'https://a.example:8443', 'a.example:'];
  const keys = sites.map((site) => keyOf(site, ''));
  expect(keys).toEqual(['a.example ', ':a.example ', 'a.example:8443 ', 'a.example: ']);
});
