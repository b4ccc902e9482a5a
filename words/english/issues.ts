import type { IssueMessages } from '../issues';

export const issues = {
  // What a value must be.
  object: 'an object',
  boolean: 'true or false',
  string: 'a string',
  'short-string': 'a string of at most {max} characters',
  'short-text': 'a string of at most {max} bytes in UTF-8',
  'non-empty-string': 'a non-empty string',
  choice: '"{choice}"',
  choices: '"{choice}" or {other}',
  'integer-from': 'an integer of at least {min}',
  'integer-range': 'an integer from {min} to {max}',
  'number-range': 'a number from {min} to {max}',
  'positive-number': 'a number greater than 0 and at most {max}',
  'finite-number': 'a finite number',
  uint64: 'a string with an unsigned 64-bit integer in decimal',
  int64: 'a string with a signed 64-bit integer in decimal',
  positive: 'greater than 0 and finite',
  'positive-up-to': 'greater than 0 and at most {max}',
  'positive-for-estimate': 'greater than 0: at 0, outputs are noise alone',
  'exact-number': 'a number, or a string with a decimal or a fraction',
  list: 'a list',
  pair: 'a list of two',
  'distinct-numbers': 'a list of different numbers',
  'one-of': 'one of {values}',
  'one-of-values': 'one of the values ({values})',
  'not-negative-for-poisson': 'at least 0 for the poisson loss',
  'finite-variance': 'so large that the variance is below 1.8e308',
  'above-tau': 'greater than tau ({tau}) and finite',
  'probability-per-state': 'as many probabilities as there are states ({states})',
  'key-piece': 'a string with "0x" and 1 to 32 hexadecimal digits',
  'filtering-id': 'below 256^{bytes} (aggregatable_filtering_id_max_bytes)',
  destination: 'a URL with https, or with http on localhost',
  sites: 'a site, or a list of sites',
  site: 'a site such as https://shop.example',
  'site-of-report': 'a site with https, or with http on localhost, such as "https://shop.example"',
  'sites-of-report': 'a site such as "https://shop.example", or a list of two or three',
  'secure-site': 'a site with https, or with http on localhost',
  'site-name': 'the name of a site, such as shop.example',
  origin: 'an origin with https, or with http on localhost',
  'origin-or-null': 'null, or an origin with https, or with http on localhost',
  'match-pattern': 'a match pattern such as https://shop.example/thanks*',
  time: 'a time such as 2027-03-31T18:00:00Z',
  'time-or-milliseconds':
    'milliseconds since 1970, or an ISO 8601 time with its zone such as "2026-01-31T12:00:00Z"',
  'not-seconds': 'milliseconds since 1970 (a number of 10 digits looks like seconds: add 000)',
  'epoch-seconds': 'a string with whole seconds since 1970',
  'epoch-milliseconds': 'a string with milliseconds since 1970',
  'recent-time': 'a time from 2020 on and at most a year ahead',
  'source-time':
    'the time of the registration, from 2020 on and at most a year ahead (a date in 1970 usually means that a number was read in another unit; collect --rehearsal accepts any later time)',
  'trial-id': 'a name of up to 64 of the characters a-z, 0-9, ".", "_" and "-", such as "ad-recall-2027"',
  'string-with-count': 'a string with a positive integer',
  'string-with-bits': 'a string with a number of bits',
  'one-character': 'one character',
  'known-in-time': 'a column whose value is known before the label',
  uuid: 'a UUID in lower case',
  base64: 'a string in Base64',
  base64url: '{count, plural, one {# byte} other {# bytes}} in Base64 for URLs, without padding',
  bytes: '{count} bytes',
  'token-key': 'an RSA key of 2048 bits in Base64 for URLs, as cointoss trial --new-token-keys writes it',
  'sealing-key': 'an X25519 public key, and not a point of small order, for which nothing can be sealed',
  'bytes-up-to': '1 to {max} bytes',
  payload: 'a payload in CBOR',
  'bucket-bounds': 'a list of the first and the last sum of the bucket, in this order',
  'feature-name': 'a name of Unicode text without U+0000',
  'feature-value': 'a string of Unicode text without U+0000, a number, true, false or null',
  'json-registration': 'a source registration, as an object or a string with JSON',
  'same-as-registration': 'what the registration says, {other}, or be left out there',
  'same-configuration': "the one that the row's other fields make, {id}",
  'known-configuration': 'the id of a configuration that is stored, or that an earlier row makes',

  // What is wrong.
  'must-be': 'must be {what}, was {was}',
  ignored: '{problem} (ignored)',
  'not-csv': 'must be a row of a table: with as many cells as the first row, and an end to each quote',
  'not-json': 'must be JSON: {problem}',
  'not-utf-8': 'must be UTF-8, which it is not from character {column} on',
  'header-twice':
    'must be sent once in a response, was sent more than once (its values are joined with commas)',
  'json-syntax': `line {line}, column {column}: {error, select,
    InvalidSymbol {a word that JSON does not have}
    InvalidNumberFormat {not a number in the form of JSON}
    PropertyNameExpected {a name in double quotes is missing}
    ValueExpected {a value is missing}
    ColonExpected {":" is missing after a name}
    CommaExpected {"," is missing between two items}
    CloseBraceExpected {"'}'" is missing at the end of an object}
    CloseBracketExpected {"]" is missing at the end of a list}
    EndOfFileExpected {nothing may come after the end of the value}
    InvalidCommentToken {comments are not part of JSON}
    UnexpectedEndOfComment {a comment does not end}
    UnexpectedEndOfString {a string does not end: double quotes are missing}
    UnexpectedEndOfNumber {a number ends too early}
    InvalidUnicode {not four hexadecimal digits after "\\u"}
    InvalidEscapeCharacter {"\\" before a character that it cannot escape}
    InvalidCharacter {a control character that must be escaped}
    other {not JSON ({error})}}`,
  'json-number': 'line {line}, column {column}: a number beyond 1.8e308',
  'json-blank': 'more than {max} blanks in a row',
  'json-depth': 'nested more than {max} levels deep',
  'json-engine': 'this browser cannot read it',
  'too-long': 'must be at most {max} characters long, was {length}',
  'cut-header': 'was {length} characters long; the log has only the first {kept}',
  'more-issues': '{count, plural, one {# more is} other {# more are}} not listed',
  'not-a-dictionary': 'must be a structured dictionary: {problem}',
  'not-a-platform': 'must be the token web or os',
  'not-a-flag': 'must be a boolean (?1 or ?0)',
  'unknown-field': 'is not a known field',
  'missing-field': 'must have the field "{name}"',
  'missing-fields': 'must have the field "{name}" or "{other}"',
  'repeated-field': 'is given twice; the later one counts',
  'field-twice': 'must be given once, is given twice',
  'field-beside': 'must not be given beside "{other}"',
  'uncapped-method':
    'must be "per-cap" or "random-cap" with the method {method}, whose noise hides "caps" examples of a unit, was "per-count", by which all of them take part',
  'too-few-items': 'must have at least {min, plural, one {{min} item} other {{min} items}}, has {count}',
  'too-many-items': 'must have at most {max, plural, one {{max} item} other {{max} items}}, has {count}',
  'too-many-to-solve':
    'must have at most {max, plural, one {{max} item} other {{max} items}} here, because devices and collectors must find the noise of an unbiased randomizer within seconds (sample and learn take more), has {count}',
  'too-many-keys': 'must have at most {max, plural, one {{max} key} other {{max} keys}}, has {count}',
  'too-many-values': 'must have at most {max} distinct values, has {count}',
  'repeated-item': 'must not repeat {item}',
  'repeated-value': 'is repeated and counts once',
  'unknown-debug-data': 'is no known type of debug data',
  'long-key': 'must be under a key of at most {max} bytes in UTF-8, was {key}',
  'campaign-key':
    'must be a key of filter data by which sources can name their campaign: not empty, not "arm" or "source_type", and not with "_" at its start',
  'reserved-key': 'must not begin with "_", which is reserved',
  'time-order': 'must be in the order of time: {time} comes after {last}',
  'implied-field': 'is implied and must not be given',
  'too-many-sites': 'must name at most {max, plural, one {{max} site} other {{max} sites}}, names {count}',
  clamped: 'is out of range and counts as {seconds}',
  rounded: 'counts as {seconds}, a whole number of days, because the source type is event',
  'ignored-url-parts': 'counts as {site}: the rest of the URL is ignored',
  'public-suffix': 'is a public suffix: only {site} itself can convert, no site under it',
  'unknown-source-type': 'matches no source: the source type is "navigation" or "event"',
  'window-order': 'must be later than {begin}, where the window begins, was {end} after clamping',
  'too-much-trigger-data': 'must hold at most {max} trigger data in all, holds {count}',
  'repeated-trigger-data': 'must not hold the trigger data {data} twice',
  'trigger-data-gaps': 'must be 0, 1, … {last} because trigger_data_matching is "modulus", was {was}',
  'too-many-buckets': 'must have at most max_event_level_reports ({max}) items, has {count}',
  'bucket-beyond-conversions':
    'is not reached within one report window: a source keeps at most {max, plural, one {# conversion} other {# conversions}} at a time',
  'bucket-order': 'must be greater than {previous}, the bucket before, was {bucket}',
  'registration-time':
    'must not include aggregatable_source_registration_time with a trigger_context_id or aggregatable_filtering_id_max_bytes',
  'over-contribution-budget': 'must have contributions of at most {max} in all, has {sum}',

  // Limits on what a source may reveal.
  'trigger-state-cardinality':
    'must have at most {limit, plural, one {{limit} state} other {{limit} states}}, has {count}',
  'channel-capacity':
    'must have an output of at most {limit, plural, one {{limit} bit} other {{limit} bits}}, has one of {bits}{fitting, select, same {} other {; an event_level_epsilon of up to {fitting} fits}}',
  'event-states':
    'must have at most {limit, plural, one {{limit} state} other {{limit} states}} (max_event_states), has {count}',
  'scopes-channel-capacity':
    'must have an output with attribution scopes of at most {limit, plural, one {{limit} bit} other {{limit} bits}}, has one of {count}',

  // Why a response registers nothing.
  'info-invalid': 'Attribution-Reporting-Info {problems}',
  'source-and-trigger': 'the response has both a source and a trigger header',
  'not-eligible':
    'the request is not eligible{eligibility, select, unset { for a source: its element has no attributionsrc, or its script did not ask} other { ({eligibility})}}',
  'no-eligible-click': `{lack, select,
    attribute {the link that led here has no attributionsrc}
    elsewhere {the link that led here has no attributionsrc: another element has it, in the link or around it}
    feature {the call of window.open that led here lacks the feature attributionsrc}
    other {no click of a person led here, as far as Cointoss saw: perhaps a script clicked the link or changed the address, a form was sent, or the link or the call of window.open has no attributionsrc (debug mode can often tell which)}}`,
  'trigger-on-redirect':
    'a redirect on the way to a page belongs to no page: send the trigger with the page itself, or with a request of it',
  'unknown-header': 'the response has the header {name}, which nobody knows; it may mean {meant}',
  'os-only': 'the response registers with the operating system only',
  'no-preferred-platform': 'the response has a web and an OS header and prefers neither',
  'os-preferred': 'the response prefers the operating system, but does not register with it',
  'no-reporting-origin': 'the server answered over http; it must use https, or http on localhost',
  'not-recorded': 'it could not be recorded, because Cointoss failed while it processed it',
  'too-many':
    'the site asked for more registrations than Cointoss handles at once: {count, plural, one {# was dropped} other {# were dropped}}',
  'too-many-messages':
    'the page or a frame sent more messages than Cointoss reads in ten seconds: {count, plural, one {# message was dropped} other {# messages were dropped}}',
  'no-room': 'the site has reached its limit of stored data on this device',
  'page-unknown':
    'Cointoss does not know which page this belongs to, or what that page allows. A page that was open before recording began counts once it is reloaded',
  'permissions-policy': 'the Permissions Policy of the page or of a frame forbids attribution-reporting',
  'no-navigation': 'no navigation followed the click',
  'no-source-on-way':
    'the click may register a source, but Cointoss saw no answer on its way with the header Attribution-Reporting-Register-Source',
  'page-not-secure': 'the page was loaded over http; it must use https, or http on localhost',
  'not-shown': 'the browser loaded this page in advance, and nobody opened it',
  'eligibility-unknown':
    'Cointoss cannot tell what the page allowed this request to register: it did not see the request begin, or its mark is not the page’s',
  'other-scopes': 'its reporting origin has registered other attribution scopes for the same click',
  'no-registration': `{redirects, plural, =0 {{status, plural,
      =0 {the server did not answer: start it, or correct the URL in attributionsrc}
      =404 {the server answered with status 404 and no registration: correct the URL in attributionsrc}
      other {the server answered with status {status} and no registration: it must send a source or trigger header with this answer}
    }} other {{status, plural,
      =0 {the server that a redirect led to did not answer: start it, or correct the Location of the redirect}
      =404 {the server that a redirect led to answered with status 404 and no registration: correct the Location of the redirect}
      other {the server that a redirect led to answered with status {status} and no registration: this answer, or a redirect on the way to it, must have a source or trigger header}
    }}}`,
  'private-network':
    'the URL leads to this device or a private network, and the page comes from outside it (debug mode can allow that)',
  'not-public':
    'the browser sent nothing: the URL leads to this device, a private network or a proxy, and the page comes from outside (debug mode can allow that)',

  // Settings and trials.
  'missing-selector': 'must have a selector, because it is on "{on}"',
  'unreadable-field': 'must not be here: the field cannot be read from a page',
  'repeated-rule': 'must not have two rules with the id "{id}"',
  'gap-without-reciprocal': 'must have a gap only with the reciprocal score',
  'gap-within-tau': 'must have a gap greater than tau ({tau}) with the reciprocal score',
  'cap-of-impression': 'must have a cap of null with the unit "impression", which is one impression already',
  'missing-cap': 'must have a cap with an epsilon for the unit "{unit}": each impression gets epsilon/cap',
  'attribution-without-epsilon': 'must have an epsilon, because attributionEpsilon is a part of it',
  'attribution-above-epsilon': 'must have an attributionEpsilon below epsilon ({epsilon})',
  'delta-without-epsilon': 'must have an epsilon, because delta means nothing without one',
  'joint-below-share':
    'must be at least what one impression spends, {share} (epsilon without attributionEpsilon, over cap), was {was}: no impression would count',
  'site-of-two-owners': 'must not list {site} twice: a reporting site has one owner',
  'lift-test-without-budget':
    'must come with a budget with an epsilon, for the unit "user" or "user-advertiser": with other units, several budgets would tell about one arm, together more than epsilon',
  'lift-test-with-aggregatable':
    'must come without aggregatableReports, because the number of these reports is not private and could tell the arm',
  'lift-test-with-private-attribution':
    'must come without private attribution, because what is charged for a choice would depend on the arm',
  'trial-without-joint':
    'must say what all reports of a participant may tell everyone together in a period, such as \'{\'"epsilon": 4, "reportingSite": 2, "sourceSite": 2, "destination": 2\'}\'; docs/noise.md, "Budget", explains it',
  'empty-text': 'must be a non-empty text, was {was}',
  'too-many-languages': 'must have at most {max} languages',
  'no-language': 'must have a text in at least one language, such as \'{\'"en": "…"\'}\'',
  'not-a-language': 'must be the tag of a language, such as "en" or "pt-BR"',
  'end-before-start': 'must be later than start',
  'periods-not-in-order': 'must be later than the period before',
  'tokens-without-collector': 'must not be without settings.collector, which takes the tokens',
  'tokens-given-up':
    'must be "lossless" in a trial with tokens: "chrome" would give up a report that waits 20 minutes for a token',
  'debug-in-trial': 'must not be in a trial: a trial always has real noise, delay and clock',
  'paused-in-trial': 'must not be in a trial: participants decide when to pause',
  'half-character':
    'must not contain half a character (a surrogate without its pair), which cannot be signed',
  'inexact-number':
    'must be within ±(2^53 − 1), because others may read {was} as another number, so it cannot be signed',
  'wrong-signature': 'does not fit: the trial was changed after it was signed, or signed with another key',

  // Parameters of mechanisms; the name of the parameter precedes the message.
  'no-numbers': 'must be a list of at least one number, was "empty"',
  'not-a-probability': 'must be from 0 to 1, was {was}',
  'probabilities-sum': 'must be a list of probabilities that sum to 1, was {sum}',
  'values-per-probability':
    'must have as many numbers as the prior has probabilities ({probabilities}), has {was}',
  'ascending-from-0': 'must be ascending from 0, which is no conversion, was {was}',
  'value-order': 'must be greater than {previous}, the value before, was {was}',
  'nothing-to-report':
    'must include a value above 0 that has a probability above 0; otherwise there is nothing to report, was "nothing"',
  'too-many-here': 'must be at most {max} here; the command takes more, was {count}',
  'gap-not-taken': 'must be absent unless the score is reciprocal, was {was}',
  'click-after-conversion': 'must be at or before the conversion, was {was}',
  'click-too-late': 'must be at least gap − tau ({least}) before the conversion, was "{nearest} before it"',
  'row-length': 'must be as long as weights[0] ({conversions}), was {was}',
  'too-many-matchings':
    'must have at most {max} possible matchings for the exponential mechanism, had more; use greedy',
  'no-weights': 'must be a matrix of at least one number, was "empty"',
  'mechanism-impossible': 'is not possible: {problem}',
  'prior-per-state': 'must have a prior of as many probabilities as the source has states ({states})',

  // Logs and messages.
  'no-user': 'must be an object with a "user" that is a string and not empty',
  'field-of-row': 'must not have "{name}", which comes from the row',
} satisfies IssueMessages;
