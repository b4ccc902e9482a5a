import { markIn, NO_SEAL, withMark, withoutMark } from '../../../extension/eligibility-mark';

const seal = '0123456789abcdef0123456789abcdef';
const mark = { seal, eligibility: 'event-source' } as const;
const eligibilities = ['empty', 'event-source', 'trigger', 'event-source-or-trigger'] as const;

test.each([
  'https://a.example/',
  'https://a.example/?q#',
  'https://a.example/#part',
  'https://a.example/#a#b',
])('a mark at %s is read and removed again', (url) => {
  for (const eligibility of eligibilities) {
    const marked = withMark(url, { seal, eligibility });
    expect([markIn(marked), withoutMark(marked)]).toEqual([{ seal, eligibility }, url]);
  }
});

test.each([
  ['in the query', `https://a.example/?${seal}.attribution-reporting=event-source`],
  ['without a seal', 'https://a.example/#attribution-reporting=event-source'],
  ['with a seal that is too short', `https://a.example/#${seal.slice(1)}.attribution-reporting=event-source`],
  [
    'with an eligibility of navigations',
    `https://a.example/#${seal}.attribution-reporting=navigation-source`,
  ],
  ['that something follows', `${withMark('https://a.example/', mark)}&more`],
  ['alone', '.attribution-reporting=event-source'],
])('there is no mark %s', (_what, url) => {
  expect([markIn(url), withoutMark(url)]).toEqual([null, url]);
});

/** In ms of processor time: to read a URL of this many characters. */
function costOf(url: (length: number) => string, length: number): number {
  const read = url(length);
  const start = process.cpuUsage();
  for (let count = 0; count < 100; count++) {
    markIn(read);
    withoutMark(read);
  }
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

test.each([
  ['number signs', (length: number) => '#'.repeat(length)],
  ['ampersands', (length: number) => `https://a.example/#${'&'.repeat(length)}`],
  [
    'marks',
    (length: number) => `https://a.example/${`#${seal}.attribution-reporting=trigger`.repeat(length / 64)}!`,
  ],
  ['a mark at the end', (length: number) => withMark('#'.repeat(length), mark)],
])('reading a mark costs no more for longer URLs: %s', (_what, url) => {
  costOf(url, 1000);
  // A hundred readings; each of the former ones took seconds from 50,000 characters on.
  expect(costOf(url, 2_000_000)).toBeLessThan(200 + 3 * costOf(url, 1_000_000));
});

test('what stands for no seal has the length of one', () => {
  expect(markIn(withMark('https://a.example/', { ...mark, seal: NO_SEAL }))).not.toBeNull();
});
