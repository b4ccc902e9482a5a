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
  for (let id = 0; id < 2000; id++) beginnings.answered(`${id}`, `https://f.example/${id}`, true, 'tab 2');
  expect(beginnings.answered('honest', 'https://b.example/', false, 'tab 1')).toBe('https://a.example/');
  expect(beginnings.answered('1999', 'https://b.example/', false, 'tab 2')).toBe('https://f.example/1999');
  expect(beginnings.answered('0', 'https://b.example/', false, 'tab 2')).toBe('https://b.example/');
});

test('a URL too long to be declared is not remembered', () => {
  const beginnings = new Beginnings();
  beginnings.answered('1', `https://a.example/${'x'.repeat(10_000)}`, true, 'tab 1');
  expect(beginnings.answered('1', 'https://b.example/', false, 'tab 1')).toBe('https://b.example/');
});
