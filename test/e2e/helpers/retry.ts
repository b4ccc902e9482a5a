/*
 * A real browser on a busy machine now and then loads a page twice or takes the focus away. A test that fails has one more try, and what
 * went wrong at first is printed.
 */
jest.retryTimes(1, { logErrorsBeforeRetry: true });
