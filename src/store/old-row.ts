import type { InternalId } from '../model/records';

/** A row as an older version of the schema wrote it: what it holds must be looked at before it is used. */
export type OldRow = { readonly id: InternalId } & Readonly<Record<string, unknown>>;
