import type { Mutation } from './mutation';

const SOURCES = 'src/limits/source-limits.ts';
const CLAIMS = 'src/limits/destination-claims.ts';
const REMOVAL = 'src/attribution/remove-sources.ts';

/** Limits on sources, and which of them stay, that depend on conversions or on noise. */
export const sourceLimits: readonly Mutation[] = [
  {
    breaks: 'a conversion makes room for an impression, because it deletes the other candidates',
    file: REMOVAL,
    before: 'if (source.countsWhenSent) draft.put',
    after: 'if (!source.countsWhenSent) draft.put',
    foundBy: ['no budget', 'label-with-full-storage'],
  },
  {
    breaks: 'impressions that have reported never expire',
    file: 'src/attribution/expiry.ts',
    before: 'sources.map(({ id }) => id)',
    after: 'sources.filter(({ reportCount }) => reportCount === 0).map(({ id }) => id)',
    foundBy: ['no budget', 'label-with-full-storage-later'],
  },
  {
    breaks: 'there may be one impression more of a page',
    file: SOURCES,
    before: 'stored + 1, limits.maxSourcesPerOrigin',
    after: 'stored, limits.maxSourcesPerOrigin',
    foundBy: ['truthful sources', 'conversion-beyond-storage'],
  },
  {
    breaks: 'scopes of impressions that lost are free',
    file: REMOVAL,
    before: '.filter(({ expiryTime }) => expiryTime >= now)',
    after: '.filter(({ expiryTime, forgotten }) => expiryTime >= now && forgotten === undefined)',
    foundBy: ['no budget', 'label-with-forgotten-scope'],
  },
  {
    breaks: 'impressions that lost claim no destination again',
    file: CLAIMS,
    before: '.filter(({ sourceSite, expiryTime }) => sourceSite',
    after: '.filter(({ sourceSite, expiryTime, forgotten }) => forgotten === undefined && sourceSite',
    foundBy: ['no budget', 'label-with-forgotten-claim'],
  },
  {
    breaks: 'noised impressions are not counted for the storage',
    file: REMOVAL,
    before: "draft.put('originUse', { id, sources: (draft.get('originUse', id)?.sources ?? 0) + 1 });",
    after:
      "if (source.noise.kind !== 'replaced') draft.put('originUse', { id, sources: (draft.get('originUse', id)?.sources ?? 0) + 1 });",
    foundBy: ['no budget', 'label-with-full-storage'],
  },
  {
    breaks: 'noised impressions claim no destination',
    file: SOURCES,
    before: 'destinations: withClaims(left, source) }',
    after: "destinations: source.noise.kind === 'replaced' ? left : withClaims(left, source) }",
    foundBy: ['no budget', 'label-before-destinations-of-day'],
  },
  {
    breaks: 'noised impressions have no destination for the minute',
    file: SOURCES,
    before: 'countDestinations(draft, limits, source);\n',
    after: "if (source.noise.kind !== 'replaced') countDestinations(draft, limits, source);\n",
    foundBy: ['no budget', 'label-before-destinations-of-minute'],
  },
  {
    breaks: 'noised impressions do not count among the ad techs of a pair',
    file: SOURCES,
    before: 'for (const pair of pairs) countSourceOrigin',
    after: "if (source.noise.kind !== 'replaced') for (const pair of pairs) countSourceOrigin",
    foundBy: ['no budget', 'label-before-source-origins', 'everyone'],
  },
  {
    breaks: 'noised impressions do not count among the origins of an ad tech',
    file: SOURCES,
    before: 'const origins = withLast(party.origins, [source.reportingOrigin], source.time);',
    after:
      "const origins = source.noise.kind === 'replaced' ? party.origins : withLast(party.origins, [source.reportingOrigin], source.time);",
    foundBy: ['no budget', 'label-before-origins-of-site', 'everyone'],
  },
  {
    breaks: 'scopes of noised impressions are not kept',
    file: 'src/attribution/remove-sources.ts',
    before: 'scopes: [...new Set([...use.scopes, ...scopes.values])],',
    after:
      "scopes: source.noise.kind === 'replaced' ? use.scopes : [...new Set([...use.scopes, ...scopes.values])],",
    foundBy: ['no budget', 'label-with-scope'],
  },
  {
    breaks: 'noised impressions have no scopes',
    file: 'src/attribution/process-source.ts',
    before: 'return { ...source, noise, reportCount: reports, attributable: reports === 0 };',
    after:
      "return { ...source, noise, reportCount: reports, attributable: reports === 0, ...(noise.kind === 'replaced' ? { attributionScopes: null } : {}) };",
    foundBy: ['no budget', 'label-with-forgotten-scope'],
  },
  {
    breaks: 'a report that was made frees the bytes that were kept for it',
    file: 'extension/store/charges.ts',
    before: 'maxEventLevelReports * ROOM_FOR_REPORT',
    after: '(maxEventLevelReports - source.reportCount) * ROOM_FOR_REPORT',
    foundBy: ['no budget', 'label-with-full-bytes'],
  },
  {
    breaks: 'a report that was made takes bytes',
    file: 'extension/store/charges.ts',
    before: 'destinations.length * ROOM_FOR_DESTINATION',
    after: '(destinations.length + source.reportCount) * ROOM_FOR_DESTINATION',
    foundBy: ['no budget', 'label-with-last-bytes'],
  },
  {
    breaks: 'what a source is charged tells that its output was replaced',
    file: 'extension/store/charges.ts',
    before: 'maxEventLevelReports * ROOM_FOR_REPORT +',
    after: "(noise.kind === 'replaced' ? 0 : maxEventLevelReports) * ROOM_FOR_REPORT +",
    foundBy: ['no budget', 'label-with-full-bytes'],
  },
  {
    breaks: 'impressions with another number of scopes are not removed after a conversion',
    file: 'src/attribution/remove-sources.ts',
    before: 'removeAll(work, others, pending.time);',
    after:
      'if (!draft.candidates(key).some(({ reportCount }) => reportCount > 0)) removeAll(work, others, pending.time);',
    foundBy: ['no budget', 'label-before-other-scopes'],
  },
  {
    breaks: 'scopes are not removed after a conversion',
    file: 'src/attribution/remove-sources.ts',
    before: 'if (use.scoped > 0) clearScopes(draft, key, pending.time);',
    after:
      'if (use.scoped > 0 && !draft.candidates(key).some(({ reportCount }) => reportCount > 0)) clearScopes(draft, key, pending.time);',
    foundBy: ['no budget', 'label-before-no-scopes'],
  },
  {
    breaks: 'impressions that have reported get no credit any more',
    file: 'src/attribution/find-source.ts',
    before: 'const all = view.candidates(key, trigger.time);',
    after: 'const all = view.candidates(key, trigger.time).filter(({ reportCount }) => reportCount === 0);',
    foundBy: ['no budget', 'label-with-full-storage'],
  },
  {
    breaks: 'claims of impressions that have reported do not count again',
    file: 'src/limits/destination-claims.ts',
    before: 'sourceSite === party.sourceSite && expiryTime > now)',
    after:
      'sourceSite === party.sourceSite && expiryTime > now)\n    .filter(({ reportCount }) => reportCount === 0)',
    foundBy: ['no budget', 'label-with-outranked-claim'],
  },
];
