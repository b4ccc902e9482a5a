import Ajv from 'ajv';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import {
  sourceRow,
  sourceRowSchema,
  writeSourceRow,
  type SourceToLog,
} from '../../../formats/sources/source-row';
import { serializeSource } from '../../../formats/registration/serialize';
import type { ExactNumber } from '../../../formats/settings/mechanism';
import { isJsonObject, type Json, type JsonObject } from '../../../src/model/json';
import type { Mechanism } from '../../../src/model/mechanisms';
import { moment } from '../../../src/model/units';
import { LAST_MILLISECOND } from '../../../formats/codec/time';
import { parse, strictly } from '../../../formats/codec/issues';
import { SourceRows } from '../../../analysis/estimate/join/source-rows';
import { anySource, anySourceType } from '../helpers/registrations';

const without = (object: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));

/** Fields that a registration may leave to the row. */
const own = ['destination', 'source_event_id'];

const anyMechanism = fc.constantFrom<(Mechanism<ExactNumber> | undefined)[]>(
  undefined,
  { kind: 'rr' },
  { kind: 'rr-with-prior', prior: ['1/3', 0.5] },
  { kind: 'rr-on-bins', values: [0, 1], prior: [0.5, 0.5], loss: 'absolute' },
  { kind: 'unbiased', values: [0, '1/3'], prior: [0.25, 0.75] },
);

const anyFeatures: fc.Arbitrary<JsonObject> = fc.dictionary(
  fc.constantFrom('campaign', 'publisher', 'prior_epsilon', 'time', 'mechanism', 'destination'),
  fc.oneof(fc.constantFrom<Json[]>('a', '', 'true', true, null), fc.integer()),
);

/** A source, and the ε in effect. */
const anyLogged: fc.Arbitrary<{ readonly source: SourceToLog; readonly epsilon: number }> = anySourceType
  .chain((sourceType) =>
    fc.record({
      sourceType: fc.constant(sourceType),
      registered: anySource(sourceType),
      time: fc.integer({ min: 0, max: LAST_MILLISECOND }),
      share: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
      mechanism: anyMechanism,
      name: fc.option(fc.constantFrom('c1', '')),
      features: anyFeatures,
      reportingOrigin: fc.constantFrom('https://ads.example', 'http://localhost:8082'),
      isWhole: fc.boolean(),
    }),
  )
  .map(({ registered, time, share, mechanism, name, isWhole, ...source }) => {
    const whole = serializeSource(registered);
    if (!isJsonObject(whole)) throw new Error('a registration must be an object');
    const epsilon = registered.eventLevelEpsilon * (share ?? 1);
    return {
      epsilon,
      source: {
        ...source,
        time: moment(time),
        sourceEventId: registered.sourceEventId,
        destination: registered.destinations,
        registration: isWhole ? whole : without(whole, own),
        ...(mechanism === undefined ? {} : { mechanism }),
        ...(name === null ? {} : { name }),
        ...(share === null ? {} : { epsilon }),
      },
    };
  });

const isValid = addFormats(new Ajv({ strict: true, strictRequired: false, allowUnionTypes: true })).compile(
  sourceRowSchema,
);
const fieldNames = Object.keys(sourceRowSchema['properties'] ?? {});

test('a row of the source log is valid, and read as what was written', () => {
  fc.assert(
    fc.property(anyLogged, ({ source, epsilon }) => {
      // As text, because rows travel as lines.
      const row = JSON.parse(JSON.stringify(writeSourceRow(source))) as Json;
      const { value } = strictly(
        parse(
          row,
          sourceRow(() => null),
        ),
      );
      expect(isValid(row)).toBe(true);
      expect(value).toMatchObject({
        sourceEventId: source.sourceEventId,
        reportingOrigin: source.reportingOrigin,
        destinations: [source.destination].flat(),
        sourceType: source.sourceType,
        time: source.time,
        name: source.name ?? null,
        configuration: {
          given: without(source.registration, own),
          epsilon,
          mechanism: source.mechanism ?? { kind: 'rr' },
        },
      });
      expect(value?.features).toEqual(without(source.features, fieldNames));
    }),
  );
});

const rowFields = [...fieldNames, 'campaign', 'publisher'];

/** A log of two rows, and a third whose fields are each that of one of them. */
const similarRows = fc
  .tuple(anyLogged, anyLogged, fc.subarray(rowFields), fc.boolean())
  .map(([{ source }, { source: other }, fields, idInRegistration]) => {
    const [first = {}, second = {}] = [source, other].map((one) => {
      // Names of configurations are remembered on purpose.
      const row = JSON.parse(JSON.stringify(without(writeSourceRow(one), ['configuration']))) as JsonObject;
      const { registration = null } = row;
      return idInRegistration && isJsonObject(registration)
        ? { ...row, registration: { ...registration, source_event_id: String(one.sourceEventId) } }
        : row;
    });
    const others = [...rowFields, 'prior_epsilon'].filter((name) => !fields.includes(name));
    return [first, second, { ...without(first, fields), ...without(second, others) }];
  });

test('what is remembered of one row changes nothing about the next', () => {
  fc.assert(
    fc.property(similarRows, (rows) => {
      const groupBy = ['campaign', 'publisher'];
      const together = new SourceRows(groupBy);
      const found = rows.map((row) => together.parse(row));
      const alone = rows.map((row) => new SourceRows(groupBy).parse(row));
      for (const [index, { value, errors }] of alone.entries()) {
        expect(found[index]?.errors).toEqual(errors);
        if (value !== null) expect(value).toMatchObject({ ...found[index]?.value });
        else expect(found[index]?.value).toBeNull();
      }
      const isMissing = (name: string): boolean => rows.every((row) => !Object.hasOwn(row, name));
      expect(together.missing()).toBe(groupBy.find(isMissing));
    }),
  );
});
