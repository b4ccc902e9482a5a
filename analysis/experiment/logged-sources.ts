import { isJsonObject } from '../../src/model/json';
import type { SourceType } from '../../src/model/limits';
import type { Origin, Site } from '../../src/model/units';
import { parseJsonHeader } from '../../formats/registration/header';
import type { ScenarioEvent } from '../scenario/scenario';
import { scenarioRegistration } from '../scenario/scenario-registration';
import { singleValues } from '../simulation/source-log';
import { SOURCE_TYPE } from '../w3c/calls';
import { destinationsOf } from './conversion-delays';

/** What the ad side knows about a source before any report, and its groups. */
export interface LoggedSource {
  readonly reportingOrigin: Origin;
  readonly destinations: readonly Site[];
  /** The value of each column; empty if the source has not exactly one. */
  readonly group: readonly string[];
  /** How many of these sources there are. */
  readonly count: number;
}

/** Those that the responses to a request register. @param columns as for `groupOf`. */
export function sourcesIn(
  event: ScenarioEvent,
  columns: readonly string[],
): readonly Omit<LoggedSource, 'count'>[] {
  if (event.kind !== 'request') return [];
  return event.responses.flatMap((response) => {
    const result = scenarioRegistration(event, response);
    if (result.kind === 'ignored') return [];
    const { header, occasion, register } = result.registration;
    if (register.kind !== 'source') return [];
    const { reportingOrigin } = occasion;
    return [
      {
        reportingOrigin,
        destinations: destinationsOf(header),
        group: groupOf(header, register.sourceType, columns),
      },
    ];
  });
}

/** The kinds of sources in a log, each once. */
export class LoggedSources {
  private readonly byKey = new Map<string, LoggedSource>();

  /** @param columns as for `groupOf`. */
  constructor(private readonly columns: readonly string[]) {}

  add(event: ScenarioEvent): void {
    for (const source of sourcesIn(event, this.columns)) {
      const key = JSON.stringify(source);
      this.byKey.set(key, { ...source, count: (this.byKey.get(key)?.count ?? 0) + 1 });
    }
  }

  /** In the order of the log. */
  list(): readonly LoggedSource[] {
    return [...this.byKey.values()];
  }

  /** A column that no source has. */
  missing(): string | undefined {
    const sources = this.list();
    return this.columns.find((_, index) => sources.every(({ group }) => group[index] === ''));
  }
}

/** How many sources each group has. */
export function countedByGroup(
  sources: readonly Pick<LoggedSource, 'group' | 'count'>[],
): readonly { readonly group: readonly string[]; readonly count: number }[] {
  const counts = new Map<string, { readonly group: readonly string[]; readonly count: number }>();
  for (const { group, count } of sources) {
    const key = JSON.stringify(group);
    counts.set(key, { group, count: (counts.get(key)?.count ?? 0) + count });
  }
  return [...counts.values()];
}

/**
 * The value of each column of a source.
 * @param columns keys of filter data, or `source_type`.
 */
export function groupOf(
  header: string,
  sourceType: SourceType,
  columns: readonly string[],
): readonly string[] {
  const json = parseJsonHeader(header).value;
  const values = singleValues(isJsonObject(json) ? (json['filter_data'] ?? {}) : {});
  return columns.map((column) => {
    const value = column === SOURCE_TYPE ? sourceType : values[column];
    return typeof value === 'string' ? value : '';
  });
}
