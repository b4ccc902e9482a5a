const { TestEnvironment } = require('jest-environment-node');

/** PGlite imports parts of itself dynamically, which Jest's sandbox forbids, so tests get it from outside. */
module.exports = class extends TestEnvironment {
  async setup() {
    await super.setup();
    this.global.pglite = require('@electric-sql/pglite');
  }
};
