import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Activations } from '../../../extension/background/w3c/activations';
import { SessionMemory } from '../../../extension/background/documents/session-memory';
import { root } from '../../../node/root';

const TAB = 1;
const NEWS = 'https://news.example/';
const SHOP = 'https://shop.example/';

/** Activations with a clock that goes on by hand, and of which the session memory is new. */
function newActivations() {
  const clock = { now: 1_000_000 };
  return { clock, activations: new Activations(new SessionMemory(), () => clock.now) };
}

test('a press allows calls for ten seconds; after the first call, as long as the tab shows the site', async () => {
  const { clock, activations } = newActivations();
  expect(await activations.use(TAB)).toBe(false);
  await activations.navigated(TAB, NEWS, 'link');
  await activations.activated(TAB);
  clock.now += 10_001;
  expect(await activations.use(TAB)).toBe(false);
  await activations.activated(TAB);
  clock.now += 10_000;
  expect(await activations.use(TAB)).toBe(true);
  clock.now += 1_000_000;
  expect(await activations.use(TAB)).toBe(true);
  await activations.navigated(TAB, 'https://m.news.example/next', 'link');
  expect(await activations.use(TAB)).toBe(true);
  expect(await activations.use(TAB + 1)).toBe(false);
});

test('a press serves the page that it leads to, but one site only', async () => {
  const { activations } = newActivations();
  await activations.navigated(TAB, NEWS, 'link');
  await activations.activated(TAB);
  await activations.navigated(TAB, SHOP, 'link');
  expect(await activations.use(TAB)).toBe(true);
  await activations.navigated(TAB, NEWS, 'link');
  expect(await activations.use(TAB)).toBe(false);
});

test.each([
  ['typed', true],
  ['auto_bookmark', true],
  ['generated', true],
  ['keyword', true],
  ['link', false],
  ['form_submit', false],
  ['reload', false],
])('a navigation that is %s allows calls: %s', async (transition, allowed) => {
  const { activations } = newActivations();
  await activations.navigated(TAB, NEWS, transition);
  expect(await activations.use(TAB)).toBe(allowed);
});

// W3C Attribution, "Opt-Out": browsers decide what private windows do. The extension is in none.
test('the extension does not run in private windows', () => {
  const manifest = JSON.parse(readFileSync(path.join(root, 'manifest.json'), 'utf8')) as object;
  expect(manifest).toMatchObject({ incognito: 'not_allowed' });
});
