/** Whether this is `npm run soak`, of whose long forms `npm test` has less: one browser of two, or one kind of store. */
export const isLong = process.env['COINTOSS_LONG'] !== undefined;
