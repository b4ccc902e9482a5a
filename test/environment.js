const { constants, createContext } = require('node:vm');
const { TestEnvironment } = require('jest-environment-node');

/** Jest's own puts a proxy around the global object, which makes each access to a global up to ten times as slow. */
module.exports = class extends TestEnvironment {
  constructor(options, context) {
    super(options, context);
    const global = createContext(constants.DONT_CONTEXTIFY);
    fill(global, this.global);
    this.context = global;
    this.global = global;
    this.moduleMocker = new this.moduleMocker.constructor(global);
    this.fakeTimersModern = new this.fakeTimersModern.constructor({ config: options.projectConfig, global });
  }
};

/** Node hands out binary data of its own kinds, which must be those of the tests, too. */
const kindsOfNode = ['Buffer', 'ArrayBuffer', 'Uint8Array'];

function fill(global, model) {
  for (const key of Reflect.ownKeys(model)) {
    const descriptor = Object.getOwnPropertyDescriptor(model, key);
    if (Object.hasOwn(global, key) && !kindsOfNode.includes(key)) continue;
    if ('value' in descriptor) Object.defineProperty(global, key, descriptor);
    else fillWhenRead(global, model, key);
  }
  global.global = global;
  // As in jest's own: Node's ten lines are few where a helper fails.
  global.Error.stackTraceLimit = 100;
}

/** Some globals of Node load much when they are first read. */
function fillWhenRead(global, model, key) {
  const set = (value) =>
    Object.defineProperty(global, key, { configurable: true, enumerable: true, writable: true, value });
  const get = () => {
    set(model[key]);
    return model[key];
  };
  Object.defineProperty(global, key, { configurable: true, enumerable: true, get, set });
}
