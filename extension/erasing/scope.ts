/** Which part of the records to erase: some sites, or a span of time (both ends included). */
export type ErasingScope =
  | { readonly kind: 'sites'; readonly sites: readonly string[] }
  | { readonly kind: 'time'; readonly from: number; readonly to: number };
