import type { Unreached } from './measured';

/** Functions of pages that need not run in `pages-cost.test.ts`, because others cannot make their work grow. */
export const unreached: readonly Unreached[] = [
  {
    why: 'Over a list or a name of the code: settings, kinds, sentences, languages, sample mistakes or the files of the site',
    functions: [
      'extension/pages/data/snapshot/sample-session.ts: sampleSession',
      'extension/pages/explain/promises.ts: limitToSite',
      'extension/pages/explain/sent.ts: chance',
      'extension/site/frame.tsx: Languages Site',
      'extension/site/languages.ts: languageOf wantedLanguage',
      'extension/site/main.ts: askForView',
      'extension/site/service-worker.ts: answer forgetOlder',
      'extension/site/site.tsx: show',
    ],
  },
  {
    why: 'Each character of one address once',
    functions: ['extension/pages/state/inspected-site.ts: look'],
  },
  {
    why: 'Each number, row or byte once, when a person opens, simulates or saves; what reads a file is measured by `costs.test.ts`',
    functions: [
      'extension/pages/data/file-link.ts: packFile pull',
      'extension/pages/simulate/worker.ts: run',
      'extension/pages/views/workbench/workbench.tsx: saveScenario',
      'extension/site/estimates.tsx: Result outcomeOf',
    ],
  },
  {
    why: 'Over the columns of a table in the code, or the values that a person chose for them',
    functions: [
      'extension/pages/ui/fit.ts: paged',
      'extension/pages/views/tables/table-tools.tsx: filterTitle',
    ],
  },
  {
    why: 'Over at most 1,000 results of a simulation (`RUNS`)',
    functions: [
      'extension/pages/simulate/spread.ts: mean quantile standardDeviation',
      'extension/pages/ui/dot-cloud.tsx: DotCloud',
      'extension/pages/ui/dot-places.ts: dotPlaces',
      'extension/pages/ui/ticks.ts: ticksBetween',
      'extension/pages/views/worlds.tsx: Cloud',
    ],
  },
  {
    why: 'In a worker, which ends with its view: each source and report once for each of 1,000 runs; the replay is measured by `costs.test.ts`',
    functions: [
      'extension/pages/explain/cell-moments.ts: meanReports',
      'extension/pages/simulate/campaigns.ts: next reported',
      'extension/pages/simulate/parallel-worlds.ts: estimate parallelWorlds',
    ],
  },
  {
    why: 'Each header once, to search it for one name',
    functions: ['extension/pages/explain/learned-credits.ts: repeats'],
  },
  {
    why: 'Each field of one filter once, of the header that would match the nearest source; `costs.test.ts` measures it',
    functions: [
      'extension/pages/explain/filter-change.ts: hasCommon',
      'extension/pages/explain/filter-change.ts: notMatching',
      'extension/pages/explain/filter-change.ts: patched',
    ],
  },
  {
    why: 'Each number, item or step of a path in one setting once, when a person changes it or two trials differ in it',
    functions: [
      'extension/pages/views/consent/trial-fields.tsx: show',
      'extension/pages/views/options/shape-editor.tsx: remove',
      'extension/pages/views/options/shape.ts: ofKind shapeWithin',
      'extension/pages/words/typed-numbers.ts: readNumber readNumbers',
    ],
  },
  {
    why: 'Over five events of each kind (`summaryOf`), of eight impressions',
    functions: ['extension/pages/views/overview/what-happened.tsx: InWords'],
  },
  {
    why: 'Once for each declaration, over at most 2,000 requests that the page holds (`MOST_HOPS`)',
    functions: ['extension/pages/data/request-tree.ts: declared'],
  },
];
