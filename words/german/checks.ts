import type { CheckId } from '../../src/model/checks';

const WITHIN = '{count} von höchstens {limit}';
const WINDOW = '{window, select, before {davor} within {innerhalb} other {danach}}';

export const checks = {
  'event-trigger-data': 'der Trigger hat keine',
  'matching-source': '{eligible} von {all} nicht abgelaufenen Quellen für {destination} mit passenden Scopes',
  filters: '{all, plural, =1 {Quelle {sources}} other {{count} von {all} Quellen}}',
  'candidates-within-budget': '{count} von {all, plural, one {einem Kandidaten} other {{all} Kandidaten}}',
  attribution:
    '{how, select, split {{model}: aufgeteilt unter den Quellen {sources}} drawn {{model}: Quelle {source} von {sources} gezogen} untaken {{model}: Quelle {source} von {sources} gezogen, weil keine Quelle einen Anteil am Wert annehmen kann} last {{model}, Rauschen ist aus, also die letzte: Quelle {source} von {sources}} other {{model}, ε = {epsilon}: Quelle {source} von {sources}}}',
  'value-share': '{count, plural, =0 {nichts} other {{values}}} für Quelle {source}',
  'source-within-budget': 'die Quelle liegt innerhalb ihres Budgets',
  'source-not-noised':
    '{noise, select, fake {ihre Berichte sind erfunden} forced {ein Zustand wurde im Debug-Modus erzwungen} drawn {ihre Ausgabe wurde gezogen, als ihr Fenster schloss} truthful {wahrheitsgemäß} replaced {ersetzt} undrawn {noch nicht gezogen} other {aus}}',
  'event-trigger-data-filters': '{count, plural, one {# Konfiguration} other {# Konfigurationen}}',
  'deduplication-key': '{key, select, none {keiner} other {{key}}}',
  'trigger-data': '{triggerData}, {matching}',
  'report-window-started': WINDOW,
  'report-window-open': WINDOW,
  'source-attributable': 'bisher {count, plural, one {# Bericht} other {# Berichte}}',
  'reports-of-source':
    '{room, select, free {{count} von höchstens {limit}} full {hat ihre {limit}, davon {replaceable} ersetzbar} other {{final} von {limit} sind endgültig}}',
  'priority-over-report': '{priority} gegen {lowest}',
  'conversions-kept': WITHIN,
  'summary-buckets-left': '{count} von {all}',
  'priority-over-conversions':
    '{reports, plural, one {# Bericht} other {# Berichte}} aus {conversions, plural, one {# Conversion} other {# Conversions}}',
  'attributions-per-pair': WITHIN,
  'attributing-origins': WITHIN,
  'pending-reports': WITHIN,
  'source-not-noised-to-nothing':
    '{noise, select, truthful {wahrheitsgemäß} replaced {durch Zufall ersetzt} forced {im Debug-Modus erzwungen} undrawn {noch nicht gezogen} drawn {gezogen} other {aus}}',
  'aggregatable-contributions': '{count, plural, one {# Beitrag} other {# Beiträge}}',
  'aggregatable-reports-of-source': WITHIN,
  'aggregatable-budget': WITHIN,
  'named-budget': '„{name}“: {count} von höchstens {limit}',
  'debug-data': '{count, plural, one {# Beitrag} other {# Beiträge}}',
  'debug-budget-of-source': WITHIN,
  'debug-reports-of-source': WITHIN,
  'debug-budget-of-site': WITHIN,
  'debug-budget-of-reporting-site': WITHIN,
  'privacy-budget':
    '{unit}: ε = {loss} nach {spent} von {budget}{effect, select, excluded {: bleibt außen vor} other {}}',
  'impressions-of-unit': '{unit}: {count} von höchstens {limit}',
  'joint-budget':
    '{share, select, epsilon {alle zusammen} reportingSite {Anteil der Berichtswebsite {site}} sourceSite {Anteil der Impressions auf {site}} other {Anteil der Impressions für {site}}}: ε = {loss} nach {spent} von {budget}',
  'budget-share': 'ε = {epsilon} von {registered}',
  mechanism:
    '{applies, select, yes {{mechanism}} epsilon {stattdessen rr: ε ist 0} windows {stattdessen rr: sie hat mehr als ein Berichtsfenster} states {stattdessen rr: sie hat {states, plural, one {{states} Zustand} other {{states} Zustände}}, der Prior {wanted}} values {stattdessen rr: ihre Werte sind {values}, nicht {wanted}} other {stattdessen rr: ihre Werte gehören zu mehreren Trigger-Daten, nicht {wanted}}}',
  'trigger-state-cardinality': WITHIN,
  'channel-capacity':
    '{bits} von höchstens {limit}{fitting, select, same {} other {; ε bis {fitting} passt}}',
  'event-states': WITHIN,
  'scopes-channel-capacity': WITHIN,
  'sources-of-origin': WITHIN,
  'origins-per-site': WITHIN,
  'destinations-per-minute': WITHIN,
  'destinations-per-day': WITHIN,
  'unexpired-destinations':
    'höchstens {limit}, {beyond, plural, one {# Quelle} other {# Quellen}} darüber hinaus',
  'destinations-of-all': WITHIN,
  'origins-per-destination': '{count} von höchstens {limit} für {destination}',
} as const satisfies Record<CheckId, string>;
