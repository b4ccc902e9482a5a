import { processSource } from './process-source';
import { processTrigger } from './process-trigger';
import { pairKey } from '../limits/attribution-limits';
import { debugLimitNeeds } from '../limits/debug-limits';
import { partyKey } from '../limits/destination-claims';
import { keysOf } from '../limits/accounts';
import { jointAccountsOf } from '../limits/joint-budget';
import { accountsOf } from '../limits/privacy-budget';
import type { LogEntry } from '../model/decision';
import type { DebugCondition } from '../model/facts';
import type { Registration } from '../model/incoming-registration';
import type { Limits, SourceType } from '../model/limits';
import type { InternalId } from '../model/records';
import type { SourceRegistration, TriggerRegistration } from '../model/registration';
import type { Parsed } from '../../formats/codec/issues';
import { budgetKey } from '../model/spend';
import { siteOf } from '../model/site';
import { keptHeader, REGISTER_SOURCE, REGISTER_TRIGGER } from '../../formats/registration/header';
import { parseSourceHeader } from '../../formats/registration/source';
import { parseTriggerHeader } from '../../formats/registration/trigger';
import { headerErrorData, storeVerboseReport } from '../reports/verbose';
import type { Need } from '../store/draft';
import { candidateKey } from '../store/rows';
import type { Trace } from '../trace';
import type { Caches, Deciding, SettingsInForce, Work } from '../work';

/** The settings in force for one registration, and what debug mode changes. */
export interface Conditions extends SettingsInForce {
  readonly debugAllowed: boolean;
  readonly debug: readonly DebugCondition[];
}

/** The log entry of a header that was processed. */
export type RegistrationEntry = Exclude<LogEntry, { readonly kind: 'ignored' }>;

/** A registration whose header was parsed. */
export type ParsedRegistration =
  | {
      readonly kind: 'source';
      readonly sourceType: SourceType;
      readonly result: Parsed<SourceRegistration>;
    }
  | { readonly kind: 'trigger'; readonly result: Parsed<TriggerRegistration> };

export function parseRegistration(
  { register, header }: Registration,
  limits: Limits,
  { sources, triggers }: Caches,
): ParsedRegistration {
  if (register.kind === 'trigger')
    return { kind: 'trigger', result: parseTriggerHeader(header, limits, triggers) };
  const { sourceType } = register;
  return { kind: 'source', sourceType, result: parseSourceHeader(header, sourceType, limits, sources) };
}

/** What a registration looks at in any case: all of a source, and the candidates of a trigger. */
export function needsOf(
  { kind, result }: ParsedRegistration,
  { occasion }: Registration,
  { measurement }: Pick<Conditions, 'measurement'>,
): readonly Need[] {
  const { contextOrigin, reportingOrigin, time } = occasion;
  const site = siteOf(contextOrigin);
  if (result.value === null) return kind === 'trigger' ? [] : [{ of: 'originUse', id: contextOrigin }];
  if (kind === 'trigger')
    return [
      { of: 'candidates', key: candidateKey(reportingOrigin, site) },
      { of: 'destinationUse', id: site },
    ];
  const { destinations, aggregatable } = result.value;
  const { budget } = measurement;
  const shown = { id: 0, sourceSite: site, reportingOrigin, time, registration: { destinations } };
  // An impression has no account before it has an id.
  const accounts = budget.unit === 'impression' ? [] : accountsOf(budget, shown);
  // Without a joint budget, what everyone learns is only counted.
  const shared = jointAccountsOf(budget, shown).flatMap(
    budget.joint === null ? (one) => budgetKey(one) : keysOf,
  );
  return [
    ...[...shared, ...accounts.flatMap(keysOf)].map((id): Need => ({ of: 'accounts', id })),
    ...(aggregatable.debug === undefined ? [] : debugLimitNeeds({ contextSite: site, reportingOrigin })),
    { of: 'originUse', id: contextOrigin },
    { of: 'siteUse', id: site },
    { of: 'partyUse', id: partyKey({ sourceSite: site, reportingOrigin }) },
    ...destinations.flatMap((destination): Need[] => [
      { of: 'pairUse', id: pairKey({ sourceSite: site, destination }) },
      { of: 'candidateUse', id: candidateKey(reportingOrigin, destination) },
      // For fake reports.
      { of: 'destinationUse', id: destination },
    ]),
  ];
}

/** Decides what becomes of a registration, and logs it. */
export function decideRegistration(
  { draft, limits, random, trace, caches }: Deciding,
  parsed: ParsedRegistration,
  incoming: Registration,
  conditions: Conditions,
): RegistrationEntry {
  const id = draft.nextId('log');
  const work: Work = { draft, limits, trace, caches, random: random(id), ...conditions };
  const common = commonPart(id, incoming, conditions, trace);
  const entry =
    parsed.kind === 'source'
      ? sourceEntry(work, parsed, incoming, common)
      : triggerEntry(work, parsed, incoming, common);
  draft.put('log', entry);
  return entry;
}

/** What the entries of all registrations have, whatever becomes of them. */
type Common = ReturnType<typeof commonPart>;

const commonPart = (
  id: InternalId,
  { occasion: { time, contextOrigin, reportingOrigin, via }, header }: Registration,
  { debug, debugAllowed }: Conditions,
  { checks }: Trace,
) => ({
  id,
  time,
  contextOrigin,
  contextSite: siteOf(contextOrigin),
  reportingOrigin,
  via,
  header: keptHeader(header).header,
  checks,
  debug,
  ...(debugAllowed ? { debugAllowed: true as const } : {}),
});

function sourceEntry(
  work: Work,
  { sourceType, result }: Extract<ParsedRegistration, { kind: 'source' }>,
  incoming: Registration,
  common: Common,
): RegistrationEntry {
  const { value: registration, warnings } = result;
  if (registration === null) return refuse(work, incoming, common, result);
  const { id, contextOrigin: sourceOrigin, contextSite: sourceSite } = common;
  const { decision, ...others } = processSource(work, {
    ...{ id, sourceType, sourceOrigin, sourceSite, registration },
    ...partiesOf(incoming, common),
  });
  return { kind: 'source', sourceType, decision, warnings, ...others, ...common };
}

function triggerEntry(
  work: Work,
  { result }: Extract<ParsedRegistration, { kind: 'trigger' }>,
  incoming: Registration,
  common: Common,
): RegistrationEntry {
  const { value: registration, warnings } = result;
  if (registration === null) return refuse(work, incoming, common, result);
  const { id, contextSite: destination } = common;
  const { decision, ...others } = processTrigger(work, {
    ...{ id, destination, registration },
    ...partiesOf(incoming, common),
  });
  return { kind: 'trigger', decision, warnings, ...others, ...work.trace.considered, ...common };
}

const partiesOf = ({ fenced }: Registration, { reportingOrigin, time, debugAllowed }: Common) => ({
  reportingOrigin,
  time,
  debugAllowed: debugAllowed === true,
  fenced,
});

/** The entry of a header with errors. If the reporting origin asked for it, a verbose report tells of them. */
function refuse(
  work: Work,
  { occasion, register, header, fenced, reportHeaderErrors }: Registration,
  common: Common,
  { errors, warnings }: Parsed<unknown>,
): RegistrationEntry {
  if (reportHeaderErrors && !fenced) {
    const name = register.kind === 'source' ? REGISTER_SOURCE : REGISTER_TRIGGER;
    const data = headerErrorData(common.contextSite, name, common.header);
    storeVerboseReport(work, [data], null, occasion.reportingOrigin, occasion.time);
  }
  return {
    warnings: [...keptHeader(header).warnings, ...warnings],
    ...common,
    kind: 'refused',
    ...(register.kind === 'trigger'
      ? { register: 'trigger' }
      : { register: 'source', sourceType: register.sourceType }),
    errors,
  };
}
