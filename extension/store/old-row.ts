import type { InternalId } from '../../src/model/records';

/** A row of an older version of the schema: check its fields before use. */
export type OldRow = { readonly id: InternalId } & Readonly<Record<string, unknown>>;
