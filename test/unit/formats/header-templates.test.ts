import { chromiumLimits } from '../../../src/model/limits';
import { Caches } from '../../../src/work';
import { parseHeader } from '../../../formats/registration/header';
import { parseSource, parseSourceHeader } from '../../../formats/registration/source';
import { parseTrigger, parseTriggerHeader } from '../../../formats/registration/trigger';

/** Each header is read beside all those before it. */
const { sources, triggers } = new Caches();

const template =
  (fields: string): ((id: string) => string) =>
  (id) =>
    `{"destination":"https://shop.example",${fields.replace('ID', id)}}`;

const ids = ['7', '0', '7', '123456789', '007', '9999999999999999999', '8', '00000000000000000007']
  // The largest, and one more.
  .concat(['18446744073709551615', '18446744073709551616', '000018446744073709551615']);

test.each([
  ['the usual', template('"source_event_id":"ID","priority":"1"')],
  ['an id twice', template('"source_event_id":"ID","x":1,"source_event_id":"7"')],
  ['an id after another', template('"x":{"source_event_id":"7"},"source_event_id":"ID"')],
  ['an id that is not of the source', template('"x":{"source_event_id":"ID"}')],
  [
    'an id of the source that is spelt otherwise',
    template('"source_event_\\u0069d":"7","x":{"source_event_id":"ID"}'),
  ],
  ['an id of the source with a space', template('"source_event_id": "7","x":{"source_event_id":"ID"}')],
  ['a value that looks like an id', template('"filter_data":{"a":["\\"source_event_id\\":\\"ID\\""]}')],
  ['a field that has a mistake', template('"source_event_id":"ID","priority":1')],
  ['a field with a warning', template('"source_event_id":"ID","debug_key":1')],
  ['an id that is too large', template('"source_event_id":"99999999999ID"')],
  ['text that is no JSON', template('"source_event_id":"ID"}')],
])('sources that differ in their ids are each parsed as if alone: %s', (_, headerOf) => {
  for (const sourceType of ['event', 'navigation'] as const)
    for (const id of ids)
      expect(parseSourceHeader(headerOf(id), sourceType, chromiumLimits, sources)).toEqual(
        parseHeader(headerOf(id), (json) => parseSource(json, sourceType, chromiumLimits)),
      );
});

const data = '"event_trigger_data":[{"trigger_data":"1"},{"priority":"2","deduplication_key":"ID"}]';

test.each([
  ['the usual', data],
  ['two keys', `${data},"aggregatable_deduplication_keys":[{"deduplication_key":"7"}]`],
  ['a key of the other half', '"aggregatable_deduplication_keys":[{"deduplication_key":"ID"}]'],
  ['a key after another', data.replace('"trigger_data":"1"', '"deduplication_key":"7"')],
  ['a key with a space', data.replace('":"ID"', '": "ID"')],
  ['a key and one of a filter', data.replace('"1"', '"1","filters":{"deduplication_key":["7"]}')],
  ['a key that is not of the trigger', '"event_trigger_data":[{}],"x":{"deduplication_key":"ID"}'],
  ['a key that is spelt otherwise', data.replace('"trigger_data":"1"', '"deduplication_ke\\u0079":"7"')],
  ['a field with a warning', `${data},"debug_key":1`],
  ['a field that has a mistake', `${data},"filters":1`],
])('triggers that differ in their deduplication keys are each parsed as if alone: %s', (_, fields) => {
  for (const id of ids) {
    const header = `{${fields.replace('ID', id)}}`;
    const alone = parseHeader(header, (json) => parseTrigger(json, chromiumLimits));
    expect(parseTriggerHeader(header, chromiumLimits, triggers)).toEqual(alone);
  }
});

test('with other limits the same text is parsed anew', () => {
  const header = template('"source_event_id":"ID","event_level_epsilon":3')('5');
  expect(parseSourceHeader(header, 'event', chromiumLimits, sources).value).not.toBeNull();
  const strict = { ...chromiumLimits, maxSettableEpsilon: 1 as typeof chromiumLimits.maxSettableEpsilon };
  expect(parseSourceHeader(header, 'event', strict, sources).value).toBeNull();
});
