const path = require('node:path');
const Sequencer = require('@jest/test-sequencer').default;

/** In s, in a whole run. Jest only knows how long files took before, which a fresh clone does not tell, and would guess by size. */
const slow = {
  unknown: 115,
  dashboard: 100,
  'pages-cost': 95,
  'hostile-pages': 85,
  death: 80,
  ways: 80,
  'collector-durability': 75,
  'collector-two-lives': 70,
  costs: 70,
  researcher: 60,
  site: 60,
  'used-answers': 60,
  causes: 55,
  marks: 55,
  'pages-access': 55,
  'trial-strangers': 55,
  consent: 50,
  'consent-page': 50,
  'content-cost': 50,
  developer: 50,
  'leaving-pages': 50,
  managed: 45,
  'aggregate-command': 40,
  'collector-estimates': 40,
  erased: 40,
  'kit-errors': 40,
  'pages-tools': 40,
  audit: 35,
  'browser-replay': 35,
  'collector-new-folder': 35,
  'command-start': 35,
  'noise-page': 35,
  borrow: 30,
  elements: 30,
  heartbeats: 30,
  kit: 30,
  'learn-oracles': 30,
  'main-path': 30,
  package: 30,
  'pages-lab': 30,
  'regular-expressions': 30,
  siege: 30,
  'campaign-truth': 25,
  'collector-sums': 25,
  'collector-tokens': 25,
  delivery: 25,
  devtools: 25,
  'generated-arms': 25,
  'learn-data': 25,
  links: 25,
  offline: 25,
  operator: 25,
  pages: 25,
  'pages-honest': 25,
  progress: 25,
  'simulate-command': 25,
  'sources-first': 25,
  w3c: 25,
  aggregatable: 20,
  'collector-folder': 20,
  'estimate-likelihood': 20,
  'estimate-lost-reports': 20,
  german: 20,
  'learn-models': 20,
  'pages-requests': 20,
  'unbiased-randomizer': 20,
};
/** In s: a file that is not slow, where it drives a browser and where it does not. */
const USUAL = { e2e: 13, other: 4 };

const secondsOf = ({ path: file, context }) =>
  slow[path.basename(file, '.test.ts')] ?? USUAL[context.config.displayName?.name] ?? USUAL.other;

/**
 * Spreads the time of each project evenly: while files in a browser wait for it, the others have the processor. The slow ones come first, so
 * that none is left alone at the end.
 */
module.exports = class extends Sequencer {
  sort(tests) {
    const place = new Map();
    for (const project of new Set(tests.map(({ context }) => context))) {
      const longestFirst = super.sort(tests.filter(({ context }) => context === project));
      const sorted = longestFirst.sort((a, b) => secondsOf(b) - secondsOf(a));
      const all = sorted.reduce((sum, test) => sum + secondsOf(test), 0);
      let before = 0;
      for (const test of sorted) {
        place.set(test, before / all);
        before += secondsOf(test);
      }
    }
    return [...tests].sort((a, b) => place.get(a) - place.get(b));
  }
};
