import { processSource } from './process-source';
import { processTrigger } from './process-trigger';
import { pairKey } from '../limits/attribution-limits';
import { partyKey } from '../limits/destination-claims';
import { keysOf } from '../limits/accounts';
import { jointAccountsOf } from '../limits/joint-budget';
import { accountsOf } from '../limits/privacy-budget';
import type { LogEntry } from '../model/decision';
import type { DebugCondition } from '../model/facts';
import type { Registration } from '../model/incoming-registration';
import type { Limits } from '../model/limits';
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
import type { Caches, Deciding, SettingsInForce, Work } from '../work';

/** The settings in force for one registration, and what debug mode changes. */
export interface Conditions extends SettingsInForce {
  readonly debugAllowed: boolean;
  readonly debug: readonly DebugCondition[];
}

/** The log entry of a header that was processed. */
export type RegistrationEntry = Exclude<LogEntry, { readonly kind: 'ignored' }>;

/** A registration's header, parsed. */
export type ParsedRegistration =
  | { readonly kind: 'source'; readonly parsed: Parsed<SourceRegistration> }
  | { readonly kind: 'trigger'; readonly parsed: Parsed<TriggerRegistration> };

export function parseRegistration(
  { register, header }: Registration,
  limits: Limits,
  { sources, triggers }: Caches,
): ParsedRegistration {
  return register.kind === 'source'
    ? { kind: 'source', parsed: parseSourceHeader(header, register.sourceType, limits, sources) }
    : { kind: 'trigger', parsed: parseTriggerHeader(header, limits, triggers) };
}

/** What a registration looks at in any case: all of a source, and the candidates of a trigger. */
export function needsOf(
  { kind, parsed }: ParsedRegistration,
  { occasion }: Registration,
  { measurement }: Pick<Conditions, 'measurement'>,
): readonly Need[] {
  const { contextOrigin, reportingOrigin, time } = occasion;
  const site = siteOf(contextOrigin);
  if (parsed.value === null) return kind === 'trigger' ? [] : [{ of: 'originUse', id: contextOrigin }];
  if (kind === 'trigger')
    return [
      { of: 'candidates', key: candidateKey(reportingOrigin, site) },
      { of: 'destinationUse', id: site },
    ];
  const { destinations, aggregatable } = parsed.value;
  const { budget } = measurement;
  const shown = { id: 0, sourceSite: site, reportingOrigin, time, registration: { destinations } };
  // An impression has no account before it has an id.
  const accounts = budget.unit === 'impression' ? [] : accountsOf(budget, shown);
  // Without a joint budget, what everyone was told is only counted.
  const shared = jointAccountsOf(budget, shown).flatMap(
    budget.joint === null ? (one) => budgetKey(one) : keysOf,
  );
  return [
    ...[...shared, ...accounts.flatMap(keysOf)].map((id): Need => ({ of: 'accounts', id })),
    ...(aggregatable.debug === undefined ? [] : [{ of: 'debugUse', id: site } as const]),
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
  registered: ParsedRegistration,
  registration: Registration,
  conditions: Conditions,
): RegistrationEntry {
  const { occasion, register, header, fenced } = registration;
  const { debugAllowed } = conditions;
  const id = draft.nextId();
  const work: Work = { draft, limits, trace, caches, random: random(id), ...conditions };
  const kept = keptHeader(header);
  const { time, contextOrigin, reportingOrigin, via } = occasion;
  const common = {
    id,
    time,
    contextOrigin,
    contextSite: siteOf(contextOrigin),
    reportingOrigin,
    via,
    header: kept.header,
    checks: trace.checks,
    debug: conditions.debug,
    ...(debugAllowed ? { debugAllowed: true as const } : {}),
  };
  const { parsed } = registered;
  let entry: RegistrationEntry;
  if (parsed.value === null)
    entry = refuse(work, registration, { warnings: kept.warnings, ...common }, parsed);
  else if (registered.kind === 'source' && register.kind === 'source') {
    const { sourceType } = register;
    const { decision, ...others } = processSource(work, {
      sourceType,
      sourceOrigin: contextOrigin,
      sourceSite: common.contextSite,
      reportingOrigin,
      time,
      registration: parsed.value as SourceRegistration,
      debugAllowed,
      fenced,
    });
    entry = { kind: 'source', sourceType, decision, warnings: parsed.warnings, ...others, ...common };
  } else {
    const { decision, ...others } = processTrigger(work, {
      id,
      destination: common.contextSite,
      reportingOrigin,
      time,
      registration: parsed.value as TriggerRegistration,
      debugAllowed,
      fenced,
    });
    const { considered } = trace;
    entry = { kind: 'trigger', decision, warnings: parsed.warnings, ...others, ...considered, ...common };
  }
  draft.put('log', entry);
  return entry;
}

function refuse(
  work: Work,
  { occasion, register, fenced, reportHeaderErrors }: Registration,
  common: Omit<Extract<LogEntry, { kind: 'refused' }>, 'kind' | 'register' | 'errors'>,
  { errors, warnings }: Parsed<unknown>,
): RegistrationEntry {
  if (reportHeaderErrors && !fenced) {
    const name = register.kind === 'source' ? REGISTER_SOURCE : REGISTER_TRIGGER;
    const data = headerErrorData(common.contextSite, name, common.header);
    storeVerboseReport(work, [data], null, occasion.reportingOrigin, occasion.time);
  }
  return {
    ...common,
    kind: 'refused',
    register: register.kind,
    errors,
    warnings: [...common.warnings, ...warnings],
  };
}
