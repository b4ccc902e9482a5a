import 'fake-indexeddb/auto';
import { PageMessages } from '../../../extension/background/page-messages';
import type { PageMessage } from '../../../extension/messages';
import { newRecorder } from '../helpers/recorder';

type Kind = PageMessage['kind'];

/** What every person may do. Whatever message is added must be refused outside debug mode, or be named here. */
const ofEveryPerson: ReadonlySet<Kind> = new Set<Kind>([
  ...(['overview', 'list', 'undeclared', 'get-settings', 'set-settings'] as const),
  ...(['reset-clock', 'send-due', 'export-scenario', 'clear', 'undo-clear'] as const),
  ...(['w3c', 'forget-site-data'] as const),
  ...(['get-participation', 'offer-trial', 'look-at-trial', 'accept', 'decline'] as const),
  ...(['withdraw', 'forget-trial'] as const),
]);

const REFUSAL = 'this needs debug mode: switch it on first';

/** The error of each message, without what it asks for: it is refused before anything is done. */
async function refusals(enabled: boolean): Promise<Readonly<Record<Kind, string | null>>> {
  const parts = await newRecorder();
  await parts.settings.update({ debug: { enabled } });
  const pages = new PageMessages(parts as unknown as ConstructorParameters<typeof PageMessages>[0]);
  const errorOf = async (kind: string): Promise<string | null> => {
    try {
      await pages.answer({ kind } as PageMessage);
      return null;
    } catch (error) {
      return (error as Error).message;
    }
  };
  const found: [string, string | null][] = [];
  for (const kind of Object.keys(pages['handlers'])) found.push([kind, await errorOf(kind)]);
  return Object.fromEntries(found) as Record<Kind, string | null>;
}

const refused = (of: Readonly<Record<Kind, string | null>>): readonly string[] =>
  Object.keys(of).filter((kind) => of[kind as Kind] === REFUSAL);

test('outside debug mode, every message is refused but those of every person', async () => {
  const found = await refusals(false);
  const others = Object.keys(found).filter((kind) => !ofEveryPerson.has(kind as Kind));
  expect(others).toHaveLength(Object.keys(found).length - ofEveryPerson.size);
  expect(refused(found)).toEqual(others);
});

test('in debug mode, none is refused for lack of it', async () => {
  expect(refused(await refusals(true))).toEqual([]);
});
