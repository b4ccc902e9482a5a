import { endAnswer, textWithin } from '../../../extension/answer-body';
import { AggregationKeys } from '../../../extension/background/deliver/aggregation-keys';
import { seededRandomSource } from '../../../analysis/random/sources';
import { EndlessServer } from '../../e2e/helpers/endless-server';

/** In bytes: what sockets take before anybody reads. */
const UNREAD = 20e6;

let endless: EndlessServer;

beforeEach(async () => {
  endless = await EndlessServer.start((path) => (path === '/refusing' ? 500 : 200));
});
afterEach(() => endless.close());

const urlOf = (path: string): string => endless.origin.replace('endless.localhost', '127.0.0.1') + path;

const forever = new AbortController().signal;

const keys = (path: string): Promise<unknown> =>
  new AggregationKeys().key(urlOf(path), [], seededRandomSource('endless', 0), forever);

const ways: readonly (readonly [title: string, ask: () => Promise<unknown>, outcome: unknown])[] = [
  ['that nobody reads', async () => endAnswer(await fetch(urlOf('/'))), undefined],
  ['that is read up to a bound', async () => textWithin(await fetch(urlOf('/')), 1000), null],
  ['with the keys of a service', () => keys('/').catch(String), expect.stringContaining('is longer than')],
];

test.each(ways)('an answer without end %s is ended', async (_title, ask, outcome) => {
  expect(await ask()).toEqual(outcome);
  const [answer] = endless.answers;
  while (answer?.isOver !== true) await new Promise((resolve) => setImmediate(resolve));
  expect(answer.sent).toBeLessThan(UNREAD);
});

test('a text of as many bytes as may be is read, one more is not', async () => {
  const text = '€uro'.repeat(1000);
  const { length } = new TextEncoder().encode(text);
  expect(await textWithin(new Response(text), length)).toBe(text);
  expect(await textWithin(new Response(text), length - 1)).toBeNull();
  expect(await textWithin(new Response(null), 0)).toBe('');
});
