import type { JSX } from 'preact';
import type { LogEntry } from '../../../../src/model/decision';
import { changeFor, type Change } from '../../explain/change';
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

/** The least change with which the registration would have passed the check that decided; null where nothing would help. */
export function useChange(entry: LogEntry, deciding: WhyStep | undefined): Loaded<Change | null> {
  const { reader } = useSession();
  const found = useLoaded(
    () =>
      Promise.all([
        reader.newest('sources', MOST_SEARCHED),
        reader.range('log', entry.id - MOST_SEARCHED, entry.id),
      ]),
    [reader, entry.id],
  );
  return found === undefined ? undefined : changeFor(entry, deciding, ...found);
}

export function ChangeThis({
  entry,
  deciding,
  change,
}: {
  readonly entry: LogEntry;
  readonly deciding: WhyStep | undefined;
  readonly change: Loaded<Change | null>;
}): JSX.Element | null {
  if (change === undefined) return null;
  if (change === null) return deciding?.name === 'matching-source' ? <NothingNear entry={entry} /> : null;
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
          {rich('change_nearest', { id: sourceId, link: linkTo(routeTo(['sources', sourceId])) })}
        </p>
      )}
    </Card>
  );
}

const NothingNear = ({ entry }: { readonly entry: LogEntry }): JSX.Element => (
  <Card title={t('change_title')}>
    <p class="soft">
      {rich('misses_none', {
        destination: bare(entry.contextSite),
        origin: bare(entry.reportingOrigin),
        link: linkTo('#/refused'),
      })}
    </p>
  </Card>
);
