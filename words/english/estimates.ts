/** Warnings about estimates, in ICU's message syntax. */
export const estimates = {
  shortfall:
    'Noise alone should give about {expected, plural, one {# source} other {# sources}} {reports, plural, =1 {a report} other {{reports} or more reports}}, but only {observed, plural, one {# has} other {# have}} them: reports are missing, or browsers did not keep all sources of the log. The estimates are too low. Any interval would be wrong, so none is shown.',
  'lost-reports':
    '{from, select, given {As given, {rate} % of the reports never arrived} other {The numbers of reports show that some never arrived: {rate} %}} (from {least} % to {most} %). The estimates make up for them, and the intervals cover what this leaves open. There are no estimates by maximum likelihood.',
  misfit:
    'The reports do not fit the model of maximum likelihood, in which the reports of one source fall into trigger data and windows independently of each other. Use the unbiased estimates.',
  'true-reports':
    'If something happens after {prior} of 100 such ads, {sure, select, yes {nearly all reports of it can be} other {at most {n} in {whole} reports of it are}} true.',
} as const;
