/** Where a report is sent: to its own URL, or to the same path at the collector. */
export const recipientOf = (url: string, collector: string | null): string =>
  collector === null ? url : collector + new URL(url).pathname;
