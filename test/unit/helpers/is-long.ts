/**
 * Whether this is `npm run soak`, of whose long forms `npm test` has less: one browser of two, or one kind of store; and none of the tests
 * with wrong noise, which show that those with the right noise would notice.
 */
export const isLong = process.env['COINTOSS_LONG'] !== undefined;
