import type { Json } from '../../src/model/json';
import { integer, type Parser } from '../../formats/codec/codec';
import { Fields } from '../../formats/codec/record';
import { parse, type Parsed } from '../../formats/codec/issues';
import { sections, OutcomeCounter, type Section } from '../../analysis/simulation/outcome-counter';
import { settingsWithoutEffect } from '../../analysis/simulation/setting-effects';

/** The counts of a simulated log. Summaries of its parts add up to that of the whole. */
export interface Summary {
  readonly users: number;
  readonly lines: number;
  /** Rows that map to no event. */
  readonly unmapped: number;
  /** Rows that were left out because they do not fit the map. */
  readonly invalid: number;
  /** Events left out because an earlier one had the same key. */
  readonly repeated: number;
  readonly tally: OutcomeCounter;
}

export const summaryJson = ({ users, lines, unmapped, invalid, repeated, tally }: Summary): Json => ({
  users,
  lines,
  unmapped_rows: unmapped,
  invalid_rows: invalid,
  repeated_events: repeated,
  ...Object.fromEntries(sections.map((section) => [section, Object.fromEntries(tally.of(section))])),
});

const count = integer(0, Number.MAX_SAFE_INTEGER);

export const parseSummary = (json: Json): Parsed<Summary> =>
  parse(json, (place) => {
    const fields = new Fields(place);
    const tally = new OutcomeCounter();
    for (const section of sections) fields.required(section, countsInto(tally, section), undefined);
    const summary: Summary = {
      users: fields.required('users', count, 0),
      lines: fields.required('lines', count, 0),
      unmapped: fields.required('unmapped_rows', count, 0),
      invalid: fields.required('invalid_rows', count, 0),
      repeated: fields.required('repeated_events', count, 0),
      tally,
    };
    fields.refuseUnknown();
    return summary;
  });

const countsInto =
  (tally: OutcomeCounter, section: Section): Parser<void> =>
  (place) => {
    const fields = new Fields(place);
    for (const kind of fields.names()) tally.add(section, kind, fields.required(kind, count, 0));
  };

export function addSummaries(parts: readonly Summary[]): Summary {
  const sum = (field: 'users' | 'lines' | 'unmapped' | 'invalid' | 'repeated'): number =>
    parts.reduce((all, part) => all + part[field], 0);
  const tally = new OutcomeCounter();
  for (const part of parts) tally.addAll(part.tally.entries());
  return {
    users: sum('users'),
    lines: sum('lines'),
    unmapped: sum('unmapped'),
    invalid: sum('invalid'),
    repeated: sum('repeated'),
    tally,
  };
}

/** "replaced" means one thing for a source's output and another for a report. */
function wordsFor(section: Section, kind: string): string {
  if (kind !== 'replaced') return kind;
  return section === 'noise' ? 'output replaced by noise' : 'replaced by another report';
}

/** The settings that changed nothing: a result without them would be the same. */
export const withoutEffect = ({ tally }: Pick<Summary, 'tally'>): readonly string[] =>
  [...settingsWithoutEffect(tally.of('setting_effects'))].map(
    ([setting, reasons]) => `${setting} had no effect: ${reasons.join('; ')}`,
  );

/** How many conversions there were, if there were sources and none of them matched; otherwise 0. */
export function unmatchedIn({ tally }: Pick<Summary, 'tally'>): number {
  const conversions = [...tally.of('triggers').values()].reduce((sum, count) => sum + count, 0);
  const unmatched = tally.of('triggers_dropped').get('trigger-no-matching-source') ?? 0;
  return (tally.of('sources').get('stored') ?? 0) > 0 && unmatched === conversions ? unmatched : 0;
}

export const unmatchedText = (conversions: number): string =>
  `${conversions === 1 ? 'the only conversion has no' : `none of ${conversions} conversions has an`} earlier source of its user, site and reporting origin: check times, their units, and how sites are written`;

/** The summary for people. Sections without counts are left out. */
export function summaryLines({
  lines,
  unmapped,
  invalid,
  users,
  repeated,
  tally,
}: Summary): readonly string[] {
  const seen = [`users ${users}, lines ${lines}`];
  if (unmapped > 0) seen.push(`rows without an event ${unmapped}`);
  if (invalid > 0) seen.push(`rows that do not fit ${invalid}`);
  if (repeated > 0) seen.push(`repeated events ${repeated}`);
  const counted = sections.flatMap((section) => {
    const counts = [...tally.of(section)].map(([kind, count]) => `${wordsFor(section, kind)} ${count}`);
    return counts.length === 0 ? [] : [`${section.replaceAll('_', ' ')}: ${counts.join(', ')}`];
  });
  const unmatched = unmatchedIn({ tally });
  const warnings = [...withoutEffect({ tally }), ...(unmatched === 0 ? [] : [unmatchedText(unmatched)])];
  return [seen.join(', '), ...counted, ...warnings.map((text) => `warning: ${text}`)];
}
