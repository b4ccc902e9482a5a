/*
 * On a busy machine a real browser sometimes loads a page twice or takes the focus away. A failed test gets one retry, and the first error
 * is printed.
 */
jest.retryTimes(1, { logErrorsBeforeRetry: true });
