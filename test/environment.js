const asyncHooks = require('node:async_hooks');
const { setTimeout: sleep } = require('node:timers/promises');
const { setFlagsFromString } = require('node:v8');
const vm = require('node:vm');
const { TestEnvironment } = require('jest-environment-node');

const streams = [process.stdout, process.stderr];

/** In ms, for what a test file closed to be gone. A loaded machine may take long. */
const PATIENCE = 20_000;

/**
 * Each test file makes its functions and databases anew, and few run for long. So V8 optimizes JavaScript later than usual, and WebAssembly
 * not at all: to open and use a PGlite then takes less than half of the processor time.
 */
for (const flag of ['--interrupt-budget=500000', '--liftoff-only']) setFlagsFromString(flag);

const { AsyncLocalStorage } = asyncHooks;

/** Node keeps running for a thread, and does not list it. */
let threads = [];
process.on('worker', (thread) => threads.push(thread));

/** Whether Node waits for it: it has not ended, and is no helper that ends with the process, such as esbuild's. */
function isWaitedFor(thread) {
  const handle = Object.getOwnPropertySymbols(thread).find(({ description }) => description === 'kHandle');
  return thread[handle]?.hasRef() === true;
}

/**
 * Stands for Node's, with which Jest knows the test that an error belongs to. Node 20 then follows each promise, which makes an `await` several
 * times as slow. Tests of a file run one after the other, so that the one which runs is known without that.
 */
class Running {
  #store;

  getStore() {
    return this.#store;
  }

  async run(store, work) {
    const before = this.#store;
    this.#store = store;
    try {
      return await work();
    } finally {
      this.#store = before;
    }
  }
}

/** The modules of this worker by file, compiled. */
const compiled = new Map();
const { compileFunction } = vm;

/**
 * Stands for Node's, with which Jest compiles each module anew for each test file, and each function of it when it is first called: a third
 * of the processor time of short test files. Here a worker compiles a module once. None imports dynamically, because the transform makes
 * `require()` of it.
 */
vm.compileFunction = (source, parameters = [], options = {}) => {
  const { filename, parsingContext } = options;
  // A test that compiles something.
  if (parsingContext === undefined) return compileFunction(source, parameters, options);
  const before = compiled.get(filename);
  if (before?.source === source) return before.script.runInContext(parsingContext);
  const head = `(function (${parameters.join(', ')}) {`;
  const script = new vm.Script(`${head}${source}\n})`, { filename, columnOffset: -head.length });
  compiled.set(filename, { source, script });
  return script.runInContext(parsingContext);
};

/**
 * Jest's own puts a proxy around the global object, which makes each access to a global up to ten times as slow. In this one a test file
 * fails that leaves something open, such as a server, a child process, a thread or a timer.
 */
module.exports = class extends TestEnvironment {
  constructor(options, context) {
    super(options, context);
    const global = vm.createContext(vm.constants.DONT_CONTEXTIFY);
    fill(global, this.global);
    this.context = global;
    this.global = global;
    this.moduleMocker = new this.moduleMocker.constructor(global);
    this.fakeTimersModern = new this.fakeTimersModern.constructor({ config: options.projectConfig, global });
  }

  async setup() {
    await super.setup();
    // Until Jest's circus is loaded, which takes it from there.
    asyncHooks.AsyncLocalStorage = Running;
    this.openBefore = open();
    this.listening = streams.map((stream) => stream.listeners('error'));
  }

  handleTestEvent({ name, concurrent }) {
    if (concurrent === true)
      throw new Error('Tests of a file run one after the other: use no test.concurrent.');
    if (name === 'setup') asyncHooks.AsyncLocalStorage = AsyncLocalStorage;
  }

  async teardown() {
    asyncHooks.AsyncLocalStorage = AsyncLocalStorage;
    await super.teardown();
    this.forgetListeners();
    const start = Date.now();
    let leaked = this.leaked();
    while (leaked.length > 0 && Date.now() - start < PATIENCE) {
      await sleep(20);
      leaked = this.leaked();
    }
    if (leaked.length > 0)
      throw new Error(
        `The test file left open what keeps a process running: ${leaked.join(', ')}. Close it.`,
      );
  }

  /** Each test file has its own modules, and the streams are those of the worker: Node warns, on one of them, when they have many listeners. */
  forgetListeners() {
    for (const [index, stream] of streams.entries())
      for (const listener of stream.listeners('error'))
        if (!this.listening[index].includes(listener)) stream.off('error', listener);
  }

  /** The kinds of which more are open than before. */
  leaked() {
    return [...open()]
      .filter(([kind, count]) => count > (this.openBefore.get(kind) ?? 0))
      .map(([kind]) => kind);
  }
};

/** What keeps this process running: how many of each kind. */
function open() {
  threads = threads.filter(isWaitedFor);
  const counts = new Map([['Worker', threads.length]]);
  for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}

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
