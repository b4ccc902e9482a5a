import { h, render } from 'preact';
import { SessionContext, type Session } from '../../../extension/pages/state/session';
import { useLoaded } from '../../../extension/pages/state/use-stored';

/** What a page shows as a problem when a view loads this. The view draws nothing, so that it needs no document. */
async function problemOf(load: () => Promise<unknown>): Promise<unknown> {
  const problems: unknown[] = [];
  const act: Session['act'] = (action) => void action().catch((error: unknown) => problems.push(error));
  const View = (): null => {
    useLoaded(load, []);
    return null;
  };
  const root = { nodeType: 1, childNodes: [], firstChild: null } as unknown as Parameters<typeof render>[1];
  const session = h(SessionContext.Provider, { value: { act } as Session, children: h(View, null) });
  const thrown: unknown[] = [];
  const note = (error: unknown): void => void thrown.push(error);
  process.on('uncaughtException', note);
  render(session, root);
  // Effects run after the page was drawn, or after 35 ms where nothing is drawn.
  await new Promise((resolve) => setTimeout(resolve, 200));
  process.off('uncaughtException', note);
  render(null, root);
  expect(thrown).toEqual([]);
  return problems;
}

const failure = new Error('cannot be read');

test.each<[string, () => Promise<unknown>]>([
  ['rejects', () => Promise.reject(failure)],
  [
    'throws before it has a promise',
    () => {
      throw failure;
    },
  ],
])('a view whose loading %s shows the problem', async (_what, load) => {
  expect(await problemOf(load)).toEqual([failure]);
});

test('a view that loads has none', async () => {
  expect(await problemOf(() => Promise.resolve(1))).toEqual([]);
});
