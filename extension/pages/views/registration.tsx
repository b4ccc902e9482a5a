import type { JSX } from 'preact';
import { chromiumLimits } from '../../../src/model/limits';
import type { LogEntry } from '../../../src/model/decision';
import type { Json as JsonValue } from '../../../src/model/recording-rule';
import { parseJsonHeader } from '../../../src/registration/header';
import { serializeSource, serializeTrigger } from '../../../src/registration/serialize';
import { parseSource } from '../../../src/registration/source';
import { parseTrigger } from '../../../src/registration/trigger';
import { whatOf, sourceIdOf } from '../data/tables/log';
import { routeTo } from '../lib/route';
import { useSession } from '../lib/session';
import { useRow } from '../lib/use-stored';
import { Card, Definitions, Empty, Json, Moment, Origin } from '../ui/basics';
import { ItemPage } from './item-page';
import { Why } from './why';

const tabs = [
  ['', 'Why'],
  ['details', 'Details'],
] as const;

/** The page of one registration, in whichever table it stands. */
export function RegistrationPage({
  table,
  noun,
  id,
  tab,
}: {
  readonly table: string;
  readonly noun: string;
  readonly id: number;
  readonly tab: string;
}): JSX.Element {
  const entry = useRow('log', id);
  return (
    <ItemPage table={table} title={`${noun} ${id}`} id={id} tabs={tabs} tab={tab === 'details' ? tab : ''}>
      {entry === null && <Empty>There is no such entry in the log; it may have been erased.</Empty>}
      {entry != null && (tab === 'details' ? <RegistrationDetails entry={entry} /> : <Why entry={entry} />)}
    </ItemPage>
  );
}

/** Where a registration came from, what it said, and how that was understood. */
export function RegistrationDetails({ entry }: { readonly entry: LogEntry }): JSX.Element {
  const { overview, truth } = useSession();
  const sourceId = sourceIdOf(entry);
  const effective = effectiveRegistration(entry);
  const reports =
    truth && entry.kind === 'trigger' && entry.decision.kind === 'attributed' ? entry.decision.reports : [];
  return (
    <>
      <Card title="Where it came from">
        <Definitions
          of={[
            ['What', whatOf(entry)],
            ['Time', <Moment key="t" time={entry.time} now={overview.now} />],
            ['Page', <Origin key="p" of={entry.contextOrigin} />],
            ['Site', entry.contextSite],
            ['Reporting origin', <Origin key="r" of={entry.reportingOrigin} />],
            ['Recorded by', entry.via === 'header' ? 'a response header' : entry.via],
            [
              'Source',
              sourceId === null ? null : <a href={routeTo(['sources', sourceId])}>Source {sourceId}</a>,
            ],
            [
              'Reports',
              reports.length === 0
                ? null
                : reports.map((id) => (
                    <a key={id} href={routeTo(['reports', id])}>
                      Report {id}{' '}
                    </a>
                  )),
            ],
            ['Not as in production', entry.debug.join(', ') || null],
          ]}
        />
      </Card>
      <div class="cards wide">
        <Card title="The header as it came">
          <Json value={entry.header} label="Header" />
        </Card>
        {effective !== null && (
          <Card title="As it was understood, every default filled in">
            <Json value={effective} label="Effective registration" />
          </Card>
        )}
      </div>
    </>
  );
}

/** Null when the header registers nothing. */
function effectiveRegistration(entry: LogEntry): JsonValue {
  const json = parseJsonHeader(entry.header).value;
  if (json === null) return null;
  if (entry.kind === 'source') {
    const { value } = parseSource(json, entry.sourceType, chromiumLimits);
    return value === null ? null : serializeSource(value);
  }
  if (entry.kind !== 'trigger') return null;
  const { value } = parseTrigger(json, chromiumLimits);
  return value === null ? null : serializeTrigger(value);
}
