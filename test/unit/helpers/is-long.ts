/**
 * Whether this is `npm run soak`, of whose long forms `npm test` has less: one browser of two, one kind of store, or fewer draws; and few of the
 * tests with wrong noise, which show that those with the right noise would notice.
 */
export const isLong = process.env['COINTOSS_LONG'] !== undefined;
