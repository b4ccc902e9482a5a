export default () => globalThis.databases.close();
