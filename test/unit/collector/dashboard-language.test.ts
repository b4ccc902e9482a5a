import { wantedLanguage } from '../../../collector/dashboard/languages';

test.each<[string | undefined, string]>([
  [undefined, 'en'],
  ['', 'en'],
  ['de', 'de'],
  ['de-AT,de;q=0.9,en;q=0.8', 'de'],
  ['fr-FR, fr;q=0.9, DE;q=0.5, en;q=0.4', 'de'],
  ['de;q=0.3, en-GB;q=0.7', 'en'],
  ['fr, de;q=0', 'en'],
  ['*', 'en'],
  ['constructor, __proto__;q=1', 'en'],
  ['de;q=x', 'en'],
])('who accepts %s reads %s', (accepted, language) => {
  expect(wantedLanguage(accepted)).toBe(language);
});
