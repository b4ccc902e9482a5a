/** A report that has arrived, and what is behind it. Only whoever runs the demo knows the second half. */
export interface ArrivedReport {
  readonly sourceEventId: string;
  readonly triggerData: string;
  readonly isClick: boolean;
  /** The probability that a source like this one reports at random. */
  readonly randomizedRate: number;
  /** Whether noise invented it. */
  readonly fake: boolean;
}

export const steps = ['see', 'click', 'buy', 'clock', 'read'] as const;
export type Step = (typeof steps)[number];

/** What leads a visitor through the demo: five steps, each of which is done when it has happened. */
export interface Tour {
  /** Null once the visitor has skipped or finished it. */
  readonly step: () => Step | null;
  readonly happened: (what: 'see' | 'click' | 'buy') => void;
  /** Asks for the reports that have arrived. */
  readonly arrived: () => Promise<readonly ArrivedReport[]>;
  readonly end: () => void;
  /** Begins again; what happened before does not count. */
  readonly begin: () => void;
}

/** @param ask resolves to the reports that have arrived so far, newest first. */
export function openTour(ask: () => Promise<readonly ArrivedReport[]>): Tour {
  let done = new Set<Step>();
  let before = 0;
  let known = 0;
  let runs = true;
  return {
    step: () => (runs ? (steps.find((step) => !done.has(step)) ?? null) : null),
    happened: (what) => {
      // Whoever buys without a click has no click to wait for.
      for (const step of steps.slice(0, steps.indexOf(what) + 1)) done.add(step);
    },
    arrived: async () => {
      const reports = await ask();
      known = reports.length;
      if (done.has('buy') && known > before) done.add('clock');
      return reports;
    },
    end: () => (runs = false),
    begin: () => {
      done = new Set();
      before = known;
      runs = true;
    },
  };
}
