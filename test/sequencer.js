const path = require('node:path');
const Sequencer = require('@jest/test-sequencer').default;

/** In s, in a whole run. Jest only knows how long files took before, which a fresh clone does not tell, and would guess by size. */
const slow = {
  dashboard: 110,
  researcher: 80,
  unknown: 75,
  costs: 70,
  developer: 70,
  'pages-cost': 70,
  'collector-durability': 65,
  'collector-estimates': 60,
  'hostile-pages': 60,
  'estimate-groups': 55,
  site: 55,
  'collector-two-lives': 50,
  'leaving-pages': 50,
  audit: 45,
  'campaign-truth': 45,
  consent: 45,
  'content-cost': 45,
  erased: 45,
  'pages-tools': 45,
  'trial-strangers': 45,
  'used-answers': 45,
  ways: 45,
  aggregatable: 40,
  cheating: 40,
  'consent-page': 40,
  death: 40,
  'main-path': 40,
  managed: 40,
  marks: 40,
  'pages-access': 40,
  'browser-replay': 35,
  causes: 35,
  'learn-oracles': 35,
  offline: 35,
  'aggregate-command': 30,
  delivery: 30,
  'estimate-likelihood': 30,
  'estimate-lost-reports': 30,
  'estimate-risk': 30,
  experiment: 30,
  kit: 30,
  mutations: 30,
  'noise-page': 30,
  restart: 30,
  'simulate-command': 30,
  'unbiased-randomizer': 30,
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
