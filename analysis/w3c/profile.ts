import { isJsonObject, type Json } from '../../src/model/json';
import { distinct, integer, string, type Parser } from '../../formats/codec/codec';
import { Fields } from '../../formats/codec/record';
import { parse, strictly, type Parsed } from '../../formats/codec/issues';
import { apiLimits, defaultLimits, type ApiLimits } from '../../w3c/limits';
import { conversionOptions, type ConversionOptions } from '../../w3c/options';

/** How a log of registrations for Attribution Reporting calls W3C Attribution instead. */
export interface Profile {
  /** Keys of filter data (or `source_type`), whose first values are the bucket of an impression; a file names one. */
  readonly columns: readonly string[];
  /** The names of the histogram's buckets (`bucketName`), in their order, with their indexes. */
  readonly buckets: ReadonlyMap<string, number>;
  /** What every conversion asks for. Its registration says which impressions it selects. */
  readonly conversion: ConversionOptions;
  /** Whether a conversion is worth the value of its trigger, up to `maxValue`, instead of the same for all. */
  readonly countsValues: boolean;
  /** The reports of so many days are aggregated together; null: those of the whole log. */
  readonly batchDays: number | null;
  readonly limits: ApiLimits;
}

/** The name of the bucket with these values of the columns. With one column, it is the value. */
export const bucketName = (values: readonly string[]): string =>
  values.length === 1 ? (values[0] ?? '') : JSON.stringify(values);

/** Reads `simulate --settings` for W3C Attribution. Unknown fields are mistakes. */
export const parseProfile = (document: Json): Parsed<Profile> => strictly(parse(document, profile));

const profile: Parser<Profile> = (place) => {
  const fields = new Fields(place);
  const limits = fields.optional('limits', apiLimits, defaultLimits);
  const { by, buckets } = fields.required('histogram', histogram(limits), { by: '', buckets: [''] });
  const conversion = conversionOf(limits, buckets.length);
  const parsed = {
    columns: [by],
    buckets: new Map(buckets.map((name, index) => [name, index])),
    conversion: fields.optional('conversion', conversion, conversion(place.with({}))),
    countsValues: false,
    batchDays: fields.optional<number | null>('batchDays', integer(1, 366), null),
    limits,
  };
  fields.warnUnknown();
  return parsed;
};

const histogram =
  ({ maxHistogramSize }: ApiLimits): Parser<{ readonly by: string; readonly buckets: readonly string[] }> =>
  (place) => {
    const fields = new Fields(place);
    const parsed = {
      by: fields.required('by', string, ''),
      buckets: fields.required('buckets', distinct(string, { min: 1, max: maxHistogramSize }), ['']),
    };
    fields.warnUnknown();
    return parsed;
  };

const conversionOf =
  (limits: ApiLimits, histogramSize: number): Parser<ConversionOptions> =>
  (place) => {
    const { value } = place;
    return conversionOptions(limits)(isJsonObject(value) ? place.with({ ...value, histogramSize }) : place);
  };
