/** Warnings about estimates, in ICU's message syntax. */
export const estimates = {
  shortfall:
    'Noise alone should give about {expected, plural, one {# source} other {# sources}} {reports, plural, =1 {a report} other {{reports} or more reports}}, but only {observed, plural, one {# has} other {# have}} them: reports are missing, or browsers did not keep all sources of the log. Unbiased estimates are too low. No interval holds, so no estimate is shown.',
  mismatch:
    'These outputs cannot come from the stated noise{group, select, none {} other {, in {group}}}: noise alone should give about {expected, plural, one {# source} other {# sources}} {about, select, value {{side, select, most {a value of at most {value}} least {a value of at least {value}} other {the value {value}}}} other {{side, select, most {{value, plural, =0 {no report} one {at most # report} other {at most # reports}}} other {{value, plural, one {at least # report} other {at least # reports}}}}}}{about, select, data { of trigger data {which}} window { of one report window} other {}}, whatever happened, but {observed, plural, =0 {none has} one {only # has} other {only # have}} that. Complete outputs of this noise look so less than once in a million. {side, select, least {Reports are lost, altered or filtered} other {Reports are made up, altered or filtered}}, noise was off, or the log states another ε or registration. No estimate is shown.{more, plural, =0 {} one { The same holds for another group.} other { The same holds for # more groups.}}',
  'lost-reports':
    '{from, select, given {As given, {rate, number} % of the reports never arrived (from {least, number} % to {most, number} %). The estimates make up for them, and the intervals cover what this leaves open. There are no estimates by maximum likelihood.} delays {By the delays of those that arrived, {rate, number} % of the reports are still under way (from {least, number} % to {most, number} %). The estimates make up for them, and the intervals cover what this leaves open. There are no estimates by maximum likelihood.} reports {The numbers of reports show that some never arrived: {rate, number} % (from {least, number} % to {most, number} %). The estimates make up for them, and the intervals cover what this leaves open. There are no estimates by maximum likelihood.} heartbeats {The heartbeats show that {rate, number} % of the reports never arrived (from {least, number} % to {most, number} %). The estimates make up for them, and the intervals cover what this leaves open. There are no estimates by maximum likelihood.} groups {The heartbeats show that groups lost different shares of their reports: from {least, number} % to {most, number} % (most of all {group}), and {rate, number} % together. The estimates make up for the share of each group, and the intervals cover what this leaves open. There are no estimates by maximum likelihood.} none {The heartbeats show no lost report, but up to {most, number} % can be lost. The intervals cover this, except those of estimates by maximum likelihood.} contradicted {The numbers of reports contradict the given {rate, number} % of reports that never arrived (from {least, number} % to {most, number} %), in all or in some groups. No interval holds, so no estimate is shown.} refuted {The heartbeats contradict the noise or the other reports: they have more reports than noise gives, or the loss that they show ({rate, number} %, from {least, number} % to {most, number} %) does not fit the numbers of reports, in all or in some groups. No interval holds, so no estimate is shown.} silent {Hardly any report of the heartbeats arrived, so nothing bounds the share of reports that never arrived. No interval holds, so no estimate is shown.} other {The numbers of reports fit neither the noise nor a loss that is equally likely for each report: groups or browsers lost different shares, some sources sent nothing, or reports are made up. Nothing makes up for this. No interval holds, so no estimate is shown.}}',
  'losses-unknown':
    'The numbers hold if no report was lost, and nothing says how many were. Each 1 % that never arrived makes the unbiased estimate of conversions about {conversions, number} too low, and the intervals do not cover that. {share, select, statable {State the share if you know it, or register heartbeats, which tell it.} other {Heartbeats tell the share, once they are registered.}}',
  misfit:
    'The reports do not fit the model of maximum likelihood, in which the reports of one source fall into trigger data and windows independently of each other. Use the unbiased estimates.',
  'true-reports':
    'If something happens after {prior} of 100 such ads, {sure, select, yes {nearly all reports of it can be} other {at most {n} in {whole} reports of it are}} true.',
  'uncovered-values':
    'not comparable: {count, number} of {sources, plural, one {# source reports} other {# sources report}} values only',
  'uncovered-buckets':
    'not comparable: {count, number} of {sources, plural, one {# source reports} other {# sources report}} the sums that conversions reached, not conversions',
  'uncovered-hidden':
    'not comparable: noise hides the conversions of {count, number} of {sources, plural, one {# source} other {# sources}}',
  'unranked-windows':
    'not comparable: conversions count within {windows} of the source; those of the ranked within {usual}',
  'unranked-unsure': 'not comparable: reports are missing or cannot be right, so no interval holds',
  'unranked-others': 'not comparable: reports of other groups are missing or cannot be right',
  'alike-sources':
    'How much of the uncertainty is noise is unknown (–) for a group whose sources all reported alike, as a single source does: they do not show how sources differ.',
  'alike-names':
    'One group or several? Their names differ only in how they are written: {names}{more, plural, =0 {} other { and # more}}. Each is estimated separately.',
  'other-rates':
    '{other, number} of {used, plural, one {# used report states} other {# used reports state}} another noise rate than their source in the log has. Check its registration, ε and mechanism: if these are wrong, so are the estimates.',
  'lift-doubt':
    'Of {sources, plural, one {# source} other {# sources}}, {share, number, ::.##########} % are of the holdout arm, not {held, number, ::.##########} %. Chance makes no such difference if people have up to 20 sources each. Either another share of the people was held out, and the lift is wrong; or the groups have sources that chance did not divide, such as clicks, which get no arm; or people have many more sources.',
  'unranked-alone': 'nothing to compare with',
  'ranks-meaning':
    'A rank is the range of places that noise and chance leave open. {pairs, plural, =1 {The comparison holds} other {All # comparisons together hold}} with {level} probability: each is made at {pairLevel}.',
} as const;
