import { asciiHostIn, scriptsMixedIn } from '../../../extension/pages/state/unmask';

test.each<[string, string | null]>([
  ['https://uni.example', null],
  ['https://un\u0456.example/trial', 'xn--un-ioc.example'],
  ['https://münchen.example:8443/', 'xn--mnchen-3ya.example'],
  ['trial@un\u0456.example', 'xn--un-ioc.example'],
  ['trial@uni.example', null],
  // All of one script, and yet like another name.
  ['https://\u0430\u0440\u0440\u04cf\u0435.example', 'xn--80ak6aa92e.example'],
  ['HTTPS://\u0430\u0440\u0440\u04cf\u0435.example', 'xn--80ak6aa92e.example'],
  ['\u200bhttps://\u0430\u0440\u0440\u04cf\u0435.example ', 'xn--80ak6aa92e.example'],
  ['\u202dtrial@\u0430\u0440\u0440\u04cf\u0435.example\u202c', 'xn--80ak6aa92e.example'],
  ['Building 5, 1st floor', null],
  ['https:// no host', null],
])('the host of %s in ASCII is %s', (address, host) => {
  expect(asciiHostIn(address)).toBe(host);
});

test.each<[string, readonly string[]]>([
  ['University of Example', []],
  ['Un\u0456versity of Example', ['Latn', 'Cyrl']],
  ['Π\u0430 university', ['Grek', 'Cyrl']],
  // Words of different scripts beside each other hide nothing.
  ['Университет (University)', []],
  ['東京大学 とうきょう', []],
  ['Müller-Straße 5', []],
  // A letter between characters that show nothing is no word of its own.
  ['Un\u200b\u0456\u200bversity of Example', ['Latn', 'Cyrl']],
  ['Un\u00ad\u0456\u2060versity of Example', ['Latn', 'Cyrl']],
  ['Un\u202d\u0456\u202cversity of Example', ['Latn', 'Cyrl']],
  ['', []],
])('the scripts that words of %s mix are %j', (text, found) => {
  expect(scriptsMixedIn(text)).toEqual(found);
});
