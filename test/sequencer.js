const path = require('node:path');
const Sequencer = require('@jest/test-sequencer').default;

/** In s, in a whole run. Jest only knows how long files took before, which a fresh clone does not tell, and would guess by size. */
const slow = {
  'pages-cost': 100,
  unknown: 100,
  'hostile-pages': 80,
  'campaign-truth': 80,
  'collector-durability': 70,
  costs: 70,
  dashboard: 65,
  'used-answers': 65,
  ways: 65,
  audit: 60,
  'collector-estimates': 60,
  'collector-two-lives': 60,
  'simulate-command': 60,
  'unbiased-randomizer': 60,
  causes: 55,
  'estimate-groups': 55,
  'leaving-pages': 55,
  'content-cost': 50,
  death: 50,
  managed: 50,
  marks: 50,
  'trial-strangers': 50,
  consent: 45,
  'consent-page': 45,
  'pages-access': 45,
  researcher: 45,
  rows: 45,
  'aggregate-command': 40,
  'collector-bad-input': 40,
  'collector-sums': 40,
  'pages-tools': 40,
  delivery: 35,
  erased: 35,
  'estimate-risk': 35,
  'learn-oracles': 35,
  'main-path': 35,
  offline: 35,
  'regular-expressions': 35,
  site: 35,
  'crash-points': 30,
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
