import type { Json } from '../src/model/json';
import { sections, type Section, type Tally } from '../analysis/simulation/tally';
import type { Progress } from './simulate-lines';

export function summaryJson({ lines, unmapped, users, repeated }: Progress, tally: Tally): Json {
  return {
    users,
    lines,
    unmapped_rows: unmapped,
    repeated_events: repeated,
    ...Object.fromEntries(sections.map((section) => [section, Object.fromEntries(tally.of(section))])),
  };
}

/** "replaced" means one thing for a source's output and another for a report. */
function wordsFor(section: Section, kind: string): string {
  if (kind !== 'replaced') return kind;
  return section === 'noise' ? 'output replaced by noise' : 'replaced by another report';
}

/** The summary for people. Sections without counts are left out. */
export function summaryText({ lines, unmapped, users, repeated }: Progress, tally: Tally): string {
  const seen = [`users ${users}, lines ${lines}`];
  if (unmapped > 0) seen.push(`rows without an event ${unmapped}`);
  if (repeated > 0) seen.push(`repeated events ${repeated}`);
  const counted = sections.flatMap((section) => {
    const counts = [...tally.of(section)].map(([kind, count]) => `${wordsFor(section, kind)} ${count}`);
    return counts.length === 0 ? [] : [`${section.replaceAll('_', ' ')}: ${counts.join(', ')}`];
  });
  return [seen.join(', '), ...counted].map((line) => `${line}\n`).join('');
}
