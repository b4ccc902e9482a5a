export default () => globalThis.browserPool.close();
