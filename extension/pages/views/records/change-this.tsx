import type { JSX } from 'preact';
import type { LogEntry } from '../../../../src/model/decision';
import { changeFor } from '../../explain/change';
import type { Change } from '../../explain/suggested-change';
import type { WhyStep } from '../../explain/why';
import { rich, t } from '../../../i18n';
import { routeTo } from '../../state/route';
import { useSession } from '../../state/session';
import { useLoaded, type Loaded } from '../../state/use-stored';
import { bare } from '../../words/words';
import { Card, Json } from '../../ui/basics';
import { linkTo } from '../../ui/tags';

/** How many of the newest sources, and of the entries before, are searched for the nearest. */
const MOST_SEARCHED = 300;

interface FoundChange {
  /** Null where nothing would help. */
  readonly change: Change | null;
  /** How many of the newest sources were searched; 0: all. */
  readonly searched: number;
}

/** The least change with which the registration would have passed the check that decided. */
export function useChange(entry: LogEntry, deciding: WhyStep | undefined): Loaded<FoundChange> {
  const { reader } = useSession();
  const found = useLoaded(
    () =>
      Promise.all([
        reader.newest('sources', MOST_SEARCHED),
        reader.range('log', entry.id - MOST_SEARCHED, entry.id),
      ]),
    [reader, entry.id],
  );
  if (found === undefined) return undefined;
  const [sources, log] = found;
  const searched = sources.length < MOST_SEARCHED ? 0 : MOST_SEARCHED;
  return { change: changeFor(entry, deciding, sources, log), searched };
}

export function ChangeThis({
  entry,
  deciding,
  found,
}: {
  readonly entry: LogEntry;
  readonly deciding: WhyStep | undefined;
  readonly found: Loaded<FoundChange>;
}): JSX.Element | null {
  if (found === undefined) return null;
  const { change, searched } = found;
  if (change === null)
    return deciding?.name === 'matching-source' ? <NothingNear entry={entry} searched={searched} /> : null;
  const { sentences, header, sourceId, entryId } = change;
  return (
    <Card title={t('change_title')}>
      <ul class="issues" id="change">
        {sentences.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
      {header !== null && <Json value={header} label={t('change_patched')} />}
      {entryId !== undefined && (
        <p>
          <a href={routeTo(['log', entryId])}>{t('missed_look', { id: entryId })}</a>
        </p>
      )}
      {sourceId !== null && (
        <p class="soft">
          {rich('change_nearest', {
            id: sourceId,
            n: searched,
            link: linkTo(routeTo(['sources', sourceId])),
          })}
        </p>
      )}
    </Card>
  );
}

const NothingNear = ({
  entry,
  searched,
}: {
  readonly entry: LogEntry;
  readonly searched: number;
}): JSX.Element => (
  <Card title={t('change_title')}>
    <p class="soft">
      {rich('misses_none', {
        destination: bare(entry.contextSite),
        origin: bare(entry.reportingOrigin),
        n: searched,
        link: linkTo('#/refused'),
      })}
    </p>
  </Card>
);
