import { NavigationAnswers } from '../../../extension/background/observe/navigation-answers';
import type { RegistrationHeaders } from '../../../recording/requests';

const none: RegistrationHeaders = {
  ...{ source: null, trigger: null, osSource: false, osTrigger: false, info: null },
};

/** What the log may say of a navigation: `undefined` until that is known. */
async function told(of: (answers: NavigationAnswers) => void, isAskedFirst: boolean): Promise<unknown> {
  const answers = new NavigationAnswers();
  let lacks: boolean | undefined;
  const ask = (): void => void answers.lacksSource('n').then((value) => (lacks = value));
  if (isAskedFirst) ask();
  of(answers);
  if (!isAskedFirst) ask();
  await new Promise(setImmediate);
  return lacks;
}

describe.each([
  ['before its answers', true],
  ['after its answers', false],
])('a navigation whose click is known %s', (_when, isAskedFirst) => {
  test.each<[string, RegistrationHeaders | null, boolean]>([
    ['no header at all', null, true],
    ['a trigger only', { ...none, trigger: '{}' }, true],
    ['a source', { ...none, source: '{}' }, false],
    ['a source of the operating system', { ...none, osSource: true }, false],
    ['a misspelt header', { ...none, unknown: { name: 'x', meant: 'y' } }, false],
  ])('lacks a source or not, after a redirect with %s', async (_what, headers, lacks) => {
    const answered = (answers: NavigationAnswers): void => {
      answers.answered('n', headers, false);
      answers.answered('n', null, true);
    };
    expect(await told(answered, isAskedFirst)).toBe(lacks);
  });

  test('counts the last answer, too, and none of another navigation', async () => {
    const answered = (answers: NavigationAnswers): void => {
      answers.answered('other', null, true);
      answers.answered('n', { ...none, source: '{}' }, true);
    };
    expect(await told(answered, isAskedFirst)).toBe(false);
  });

  test('keeps what its answers said, if it fails after the last one', async () => {
    const answered = (answers: NavigationAnswers): void => {
      answers.answered('n', null, true);
      answers.failed('n');
    };
    expect(await told(answered, isAskedFirst)).toBe(true);
  });

  test('says nothing before its last answer', async () => {
    expect(await told((answers) => answers.answered('n', null, false), isAskedFirst)).toBeUndefined();
  });
});

test('nothing is said of a navigation that fails, or that many others followed', async () => {
  expect(await told((answers) => answers.failed('n'), true)).toBe(false);
  const flood = (answers: NavigationAnswers): void => {
    for (let id = 0; id < 1000; id++) answers.answered(String(id), null, true);
  };
  expect(await told(flood, true)).toBe(false);
});
