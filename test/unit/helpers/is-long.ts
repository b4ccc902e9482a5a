/**
 * Whether this is `npm run soak`, of whose long forms `npm test` has less: one browser of two, one kind of store, or fewer draws; and few of the
 * tests with wrong noise, which show that those with the right noise would notice.
 */
export const isLong = process.env['COINTOSS_LONG'] !== undefined;

const leftOut = Object.assign(() => undefined, { each: () => () => undefined });

/** As `it`, in `npm run soak`; `npm test` leaves the test out, mostly because a test in Node decides the same. */
export const itInSoak = isLong ? it : (leftOut as unknown as jest.It);

/** As `describe`, where `npm test` leaves out all of its tests. */
export const describeInSoak = isLong ? describe : (leftOut as unknown as jest.Describe);
