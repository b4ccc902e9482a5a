const path = require('node:path');
const Sequencer = require('@jest/test-sequencer').default;

/** They take longest. Jest only knows how long files took before, which a fresh clone does not tell, and would guess by size. */
const slow = [
  ...[
    'unknown',
    'hostile-pages',
    'dashboard',
    'ways',
    'death',
    'marks',
    'main-path',
    'consent',
    'trial-strangers',
  ],
  ...[
    'pages-access',
    'causes',
    'leaving-pages',
    'site',
    'used-answers',
    'content-cost',
    'pages-cost',
    'restart',
  ],
  ...['developer', 'researcher', 'erased', 'pages-tools'],
  ...['collector-durability', 'costs', 'collector-bad-input', 'audit', 'collector-two-lives', 'crash-points'],
  ...['collector-estimates', 'simulate-command', 'collector-sums', 'unbiased-oracle'],
];

const isSlow = (test) => slow.includes(path.basename(test.path, '.test.ts'));

/**
 * Spreads the files of each project evenly: while those in a browser wait for it, the others have the processor. The slow ones come first,
 * so that none is left alone at the end.
 */
module.exports = class extends Sequencer {
  sort(tests) {
    const place = new Map();
    for (const project of new Set(tests.map(({ context }) => context))) {
      const longestFirst = super.sort(tests.filter(({ context }) => context === project));
      const slowFirst = [...longestFirst.filter(isSlow), ...longestFirst.filter((test) => !isSlow(test))];
      slowFirst.forEach((test, index) => place.set(test, index / slowFirst.length));
    }
    return [...tests].sort((a, b) => place.get(a) - place.get(b));
  }
};
