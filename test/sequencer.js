const Sequencer = require('@jest/test-sequencer').default;

/** Spreads the files of each project evenly: while those in a browser wait for it, the others have the processor. */
module.exports = class extends Sequencer {
  sort(tests) {
    const place = new Map();
    for (const project of new Set(tests.map(({ context }) => context))) {
      const longestFirst = super.sort(tests.filter(({ context }) => context === project));
      longestFirst.forEach((test, index) => place.set(test, index / longestFirst.length));
    }
    return [...tests].sort((a, b) => place.get(a) - place.get(b));
  }
};
