export interface Subtest {
  readonly name: string;
  readonly passed: boolean;
  readonly message: string;
}

/** What testharness.js leaves in the page when it has completed. */
export interface Results {
  /** Of the page as a whole. */
  readonly status: number;
  readonly message: string | null;
  readonly tests: readonly {
    readonly name: string;
    readonly status: number;
    readonly message: string | null;
  }[];
}

/** Of the page: OK. Of a subtest: PASS. */
const GOOD = 0;

/** The subtests of a page, and the page itself if it failed as a whole or has none. */
export function subtestsOf({ tests, status, message }: Results): readonly Subtest[] {
  const subtests = tests.map((test) => ({
    name: test.name,
    passed: test.status === GOOD,
    message: test.message ?? message ?? '',
  }));
  if (status === GOOD && tests.length > 0) return subtests;
  const why = message ?? (tests.length === 0 ? 'no subtest' : `harness status ${status}`);
  return [...subtests, { name: 'the page', passed: false, message: why }];
}
