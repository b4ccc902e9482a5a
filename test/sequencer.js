const path = require('node:path');
const Sequencer = require('@jest/test-sequencer').default;

/** In s, in a whole run. Jest only knows how long files took before, which a fresh clone does not tell, and would guess by size. */
const slow = {
  'hostile-pages': 85,
  death: 80,
  unknown: 80,
  'collector-durability': 75,
  'collector-two-lives': 70,
  costs: 70,
  ways: 65,
  offline: 60,
  researcher: 60,
  'used-answers': 60,
  dashboard: 55,
  marks: 55,
  'content-cost': 50,
  developer: 50,
  'leaving-pages': 50,
  site: 45,
  'aggregate-command': 40,
  'collector-estimates': 40,
  erased: 40,
  audit: 35,
  'browser-replay': 35,
  causes: 35,
  'collector-new-folder': 35,
  'command-start': 35,
  'noise-page': 35,
  'pages-access': 35,
  borrow: 30,
  elements: 30,
  kit: 30,
  'learn-oracles': 30,
  'main-path': 30,
  package: 30,
  'regular-expressions': 30,
  'campaign-truth': 25,
  'collector-sums': 25,
  'collector-tokens': 25,
  consent: 25,
  delivery: 25,
  'generated-arms': 25,
  'learn-data': 25,
  links: 25,
  operator: 25,
  progress: 25,
  'simulate-command': 25,
  'sources-first': 25,
  'trial-strangers': 25,
  'collector-folder': 20,
  'consent-page': 20,
  'estimate-lost-reports': 20,
  'learn-models': 20,
  'pages-tools': 20,
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
