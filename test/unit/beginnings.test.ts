import { Beginnings } from '../../extension/background/beginnings';

test('the first URL of a redirected request is known until its last answer', () => {
  const beginnings = new Beginnings();
  expect(beginnings.answered('1', 'https://a.example/', true, 'tab 1')).toBe('https://a.example/');
  expect(beginnings.answered('1', 'https://b.example/', true, 'tab 1')).toBe('https://a.example/');
  expect(beginnings.answered('1', 'https://c.example/', false, 'tab 1')).toBe('https://a.example/');
  expect(beginnings.answered('1', 'https://d.example/', false, 'tab 1')).toBe('https://d.example/');
});

test('a page with many redirected requests makes those of others no less known, nor fills the memory', () => {
  const beginnings = new Beginnings();
  beginnings.answered('honest', 'https://a.example/', true, 'tab 1');
  for (let id = 0; id < 4000; id++) beginnings.answered(`${id}`, `https://f.example/${id}`, true, 'tab 2');
  expect(beginnings.answered('honest', 'https://b.example/', false, 'tab 1')).toBe('https://a.example/');
  expect(beginnings.answered('3999', 'https://b.example/', false, 'tab 2')).toBe('https://f.example/3999');
  expect(beginnings.answered('0', 'https://b.example/', false, 'tab 2')).toBe('https://b.example/');
});

test('a URL too long to be declared is not remembered', () => {
  const beginnings = new Beginnings();
  beginnings.answered('1', `https://a.example/${'x'.repeat(10_000)}`, true, 'tab 1');
  expect(beginnings.answered('1', 'https://b.example/', false, 'tab 1')).toBe('https://b.example/');
});

test('no more than 5,000 are remembered in all, however many makers there are, and those that fail make room', () => {
  const beginnings = new Beginnings();
  const isKnown = (id: number): boolean =>
    beginnings.answered(`${id}`, 'https://b.example/', false, `maker ${id}`) !== 'https://b.example/';
  const redirect = (id: number): string =>
    beginnings.answered(`${id}`, 'https://a.example/', true, `maker ${id}`);
  for (let id = 0; id < 20_000; id++) redirect(id);
  for (let id = 0; id < 2500; id++) beginnings.forget(`${id}`);
  redirect(20_000);
  expect(isKnown(20_000)).toBe(true);
  expect(Array.from({ length: 20_000 }, (_, id) => isKnown(id)).filter(Boolean)).toHaveLength(2500);
});
