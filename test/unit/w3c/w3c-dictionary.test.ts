import { conversionMembers, dictionaryOf } from '../../../extension/content/page-world/dictionary';

const options = { aggregationService: 'a', histogramSize: 4, credit: [1, 2] };
const json = '{"aggregationService":"a","credit":[1,2],"histogramSize":4}';

afterEach(() => {
  Reflect.deleteProperty(Array.prototype, 'toJSON');
  Reflect.deleteProperty(Object.prototype, 'epsilon');
});

test('options are sent as they are where a library gives lists a `toJSON`, as Prototype did', () => {
  Object.defineProperty(Array.prototype, 'toJSON', { value: () => 'a text', configurable: true });
  expect(JSON.stringify(dictionaryOf(options, conversionMembers))).toBe(json);
});

test('options are read as Web IDL says: inherited ones count, and each once, in the order of their names', () => {
  const read: string[] = [];
  const spied = new Proxy(options, {
    get: (of, name) => {
      read.push(String(name));
      return Reflect.get(of, name) as unknown;
    },
  });
  Object.defineProperty(Object.prototype, 'epsilon', { value: 0.5, configurable: true });
  expect(dictionaryOf(spied, conversionMembers)).toEqual({ ...options, epsilon: 0.5 });
  expect(read).toEqual(conversionMembers.map(([name]) => name));
  expect(read).toEqual([...read].sort());
});
