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

const ASKS_DEBUG_BUDGET = 'Sind die Werte des Debug-Berichts innerhalb seines Budgets?';
const ASKS_PRIVACY_BUDGET = 'Nicht in ARA: Liegt es im Datenschutzbudget?';

/** What each check asks. */
export const questions: Readonly<Record<CheckId, string>> = {
  'event-trigger-data': 'Enthält die Conversion Daten für Berichte je Ereignis?',
  'matching-source': 'Gibt es eine Quelle für dieses Ziel vom selben Berichtsursprung?',
  filters: 'Passen die Filter der Conversion zu den Filterdaten der Quelle?',
  'source-within-budget':
    'Nicht in ARA: Zählen Conversions für diese Quelle, oder war ihr Datenschutzbudget verbraucht?',
  'source-not-noised': 'Meldet die Quelle die Wahrheit, ohne erfundene Berichte von Randomized Response?',
  'candidates-within-budget': 'Nicht in ARA: Hat ein Kandidat noch genug Budget für die Attribution?',
  attribution: 'Nicht in ARA: Welcher Quelle rechnet das Attributionsmodell die Conversion zu?',
  'value-share': 'Nicht in ARA: Bekommt die Quelle einen Anteil am Wert der Conversion?',
  'event-trigger-data-filters': 'Passen die Filter in einem Eintrag von event_trigger_data zur Quelle?',
  'deduplication-key': 'Ist der Deduplizierungsschlüssel für die Quelle neu?',
  'trigger-data': 'Gehören die Trigger-Daten zu denen der Quelle?',
  'report-window-started': 'Hatte das erste Berichtsfenster der Quelle begonnen?',
  'report-window-open': 'War noch ein Berichtsfenster offen?',
  'source-attributable': 'Nimmt die Quelle noch Conversions an?',
  'reports-of-source': 'Kann die Quelle noch einen Bericht machen?',
  'priority-over-report': 'Ist ihre Priorität höher als die niedrigste der wartenden Berichte?',
  'conversions-kept': 'Kann diese flexible Quelle noch eine Conversion speichern?',
  'summary-buckets-left': 'Gibt es einen Summary-Bucket, der noch nicht gemeldet wurde?',
  'priority-over-conversions': 'Ist ihre Priorität unter den Conversions dieser flexiblen Quelle hoch genug?',
  'attributions-per-pair': 'Liegt die Zahl der Attributionen für diese beiden Websites im Limit?',
  'attributing-origins':
    'Liegt die Zahl der Berichtsursprünge mit Attributionen für diese beiden Websites im Limit?',
  'pending-reports': 'Ist Platz für einen weiteren wartenden Bericht für dieses Ziel?',
  'source-not-noised-to-nothing': 'Darf die Quelle nach Randomized Response überhaupt noch melden?',
  'aggregatable-contributions': 'Trägt sie zu einem aggregierbaren Bericht bei?',
  'aggregatable-reports-of-source': 'Darf die Quelle noch einen aggregierbaren Bericht erzeugen?',
  'aggregatable-budget': 'Sind die Werte innerhalb des Beitragsbudgets der Quelle?',
  'named-budget': 'Sind die Werte innerhalb des benannten Budgets?',
  'debug-data': 'Verlangt der Header Berichte über dieses Ereignis?',
  'debug-budget-of-source': ASKS_DEBUG_BUDGET,
  'debug-reports-of-source': 'Darf die Quelle noch einen Debug-Bericht mit Werten machen?',
  'debug-budget-of-site': ASKS_DEBUG_BUDGET,
  'debug-budget-of-reporting-site': ASKS_DEBUG_BUDGET,
  'budget-share': 'Nicht in ARA: Wie viel von ihrem ε darf die Quelle ausgeben?',
  mechanism: 'Nicht in ARA: Welcher Mechanismus verrauscht die Ausgabe?',
  'trigger-state-cardinality': 'Liegt die Zahl der möglichen Ausgaben im Limit?',
  'channel-capacity': 'Liegt die Information in einer Ausgabe im Limit?',
  'event-states': 'Liegt die Zahl der Zustände dieser Impression innerhalb von max_event_states?',
  'scopes-channel-capacity': 'Liegt die Information in ihren Attributionsbereichen im Limit?',
  'sources-of-origin': 'Ist Platz für eine weitere Quelle vom Ursprung dieser Seite?',
  'origins-per-site':
    'Ist dies der einzige Ursprung seiner Berichts-Website, der hier am letzten Tag Quellen registriert hat?',
  'destinations-per-minute':
    'Liegt die Zahl der Ziele dieser Berichts-Website in der letzten Minute im Limit?',
  'destinations-per-day': 'Liegt die Zahl der Ziele dieser Berichts-Website am letzten Tag im Limit?',
  'unexpired-destinations': 'Ist unter den nicht abgelaufenen Zielen Platz für die Ziele der Quelle?',
  'destinations-of-all':
    'Liegt die Zahl der Ziele in der letzten Minute, über alle Berichts-Websites, im Limit?',
  'origins-per-destination':
    'Liegt die Zahl der Berichtsursprünge mit Quellen für diese beiden Websites im Limit?',
  'privacy-budget': ASKS_PRIVACY_BUDGET,
  'impressions-of-unit': ASKS_PRIVACY_BUDGET,
  'joint-budget': 'Nicht in ARA: Liegt es im Budget, das sich alle Berichtswebsites teilen?',
};

const NO_DEBUG_BUDGET =
  'Diese Werte würden überschreiten, was Debug-Berichte beitragen dürfen: insgesamt für die Quelle, oder an einem Tag auf dieser Website. Der Bericht ist leer.';
const NO_PRIVACY_BUDGET =
  'Diese Datenschutzeinheit hat in diesem Zeitraum kein Budget mehr. Die Quelle antwortet verrauscht wie jede andere, aber keine Conversion zählt für sie. Das Budget legt die Person an diesem Gerät fest oder die Studie, an der sie teilnimmt.';

/** What it means that a check failed, and what to change. */
export const failures: Readonly<Record<CheckId, string>> = {
  'event-trigger-data':
    'Der Header hat keine event_trigger_data; ein Bericht je Ereignis hätte also nichts zu sagen.',
  'matching-source':
    'Dieser Berichtsursprung hat für diese Website keine Quelle, die noch gespeichert ist. Prüfen Sie dreierlei: Die beiden Berichtsursprünge müssen genau gleich sein, destination muss diese Website nennen, und die Quelle darf nicht abgelaufen sein.',
  filters:
    'Die Filter der Conversion auf oberster Ebene (filters oder not_filters) passen nicht zu filter_data der Quelle, oder die Quelle ist älter als das Lookback-Fenster.',
  'source-within-budget':
    'Das Datenschutzbudget dieser Einheit war verbraucht, als die Quelle kam. Die Quelle antwortet verrauscht wie jede andere, aber keine Conversion zählt für sie.',
  'source-not-noised':
    'Randomized Response hat die Ausgabe dieser Quelle bei der Registrierung ersetzt. Ihre Berichte sind erfunden, und Conversions ändern daran nichts.',
  'candidates-within-budget':
    'Eine private Attribution gibt für jeden Kandidaten ε aus, und kein Kandidat hat genug übrig. Für Impressionen des nächsten Zeitraums beginnt das Budget von vorn.',
  attribution: 'Das Attributionsmodell hat die Conversion keiner Quelle zugerechnet.',
  'value-share':
    'Der Wert der Conversion wurde auf mehrere Quellen verteilt, und der Anteil dieser Quelle ist gerundet 0.',
  'event-trigger-data-filters':
    'Die Conversion hat keine event_trigger_data, deren Filter zur Quelle passen.',
  'deduplication-key':
    'Eine Conversion mit demselben deduplication_key wurde für diese Quelle schon gezählt.',
  'trigger-data':
    'Die Quelle nennt diese Trigger-Daten nicht. Beim Abgleich „exact“ muss sie es. (Bei leerer Liste passt nichts.)',
  'report-window-started': 'Die Conversion kam vor der start_time der Berichtsfenster der Quelle.',
  'report-window-open':
    'Das letzte Berichtsfenster der Quelle war schon geschlossen. (Eine Conversion genau am Ende kommt zu spät.)',
  'source-attributable':
    'Eine frühere Conversion fand die Quelle voll und ohne ersetzbaren Bericht vor. Seitdem nimmt die Quelle keine Conversion mehr an.',
  'reports-of-source':
    'Die Quelle hat schon max_event_level_reports Berichte, und keiner davon wartet im selben Fenster. Nur ein Bericht desselben Fensters kann ersetzt werden.',
  'priority-over-report':
    'Die Quelle hat schon alle Berichte, die sie machen darf, und jeder wartende Bericht dieses Fensters hat dieselbe oder eine höhere Priorität. Bei gleicher Priorität bleibt der frühere Bericht.',
  'conversions-kept': 'Die Quelle hat schon die Höchstzahl an Conversions gespeichert.',
  'summary-buckets-left':
    'Jeder Summary-Bucket dieser Trigger-Daten wurde schon gemeldet, und das lässt sich nicht mehr ändern.',
  'priority-over-conversions':
    'Conversions mit höherer Priorität schöpfen max_event_level_reports der Quelle aus.',
  'attributions-per-pair':
    'Diese Berichts-Website hat ihr Limit an Attributionen für diese Quell-Website und dieses Ziel in 30 Tagen erreicht.',
  'attributing-origins':
    'In 30 Tagen hatten zu viele andere Berichtsursprünge Attributionen für diese Quell-Website und dieses Ziel.',
  'pending-reports': 'Für dieses Ziel wartet schon die Höchstzahl an Berichten.',
  'source-not-noised-to-nothing':
    'Bei der Registrierung der Quelle hat Randomized Response entschieden, dass sie nie einen Bericht macht. Conversions ändern daran nichts.',
  'aggregatable-contributions':
    'Kein Aggregationsschlüssel der Quelle bekommt von dieser Conversion einen Wert. Es gibt also nichts zu summieren.',
  'aggregatable-reports-of-source': 'Die Quelle hat ihre Höchstzahl an aggregierbaren Berichten erzeugt.',
  'aggregatable-budget': 'Mit diesen Werten wäre die Summe aller Beiträge der Quelle größer als 65.536.',
  'named-budget': 'Mit diesen Werten würden die Beiträge der Quelle das benannte Budget überschreiten.',
  'debug-data': 'Der Header verlangt über dieses Ereignis keine Berichte. Der Bericht ist leer.',
  'debug-budget-of-source': NO_DEBUG_BUDGET,
  'debug-reports-of-source':
    'Die Quelle hat schon die Höchstzahl an Debug-Berichten mit Werten gemacht. Der Bericht ist leer.',
  'debug-budget-of-site': NO_DEBUG_BUDGET,
  'debug-budget-of-reporting-site': NO_DEBUG_BUDGET,
  'budget-share': 'Das Datenschutzbudget hat für diese Quelle nichts mehr übrig.',
  mechanism: 'Kein Mechanismus passt zur Quelle.',
  'trigger-state-cardinality': 'Diese Konfiguration hat mehr mögliche Ausgaben, als das Limit erlaubt.',
  'channel-capacity':
    'Eine Ausgabe dieser Konfiguration könnte mehr Bits verraten, als das Limit erlaubt. Nehmen Sie weniger Fenster, Trigger-Daten oder Berichte oder ein kleineres ε. Die Werkbank zeigt, was passt.',
  'event-states': 'Die Konfiguration hat mehr Zustände, als attribution_scopes.max_event_states erlaubt.',
  'scopes-channel-capacity':
    'Die Attributionsbereiche und die Zustände dieser Quelle könnten zusammen mehr Bits verraten, als das Limit erlaubt.',
  'sources-of-origin': 'Dieser Quell-Ursprung hat schon die Höchstzahl an nicht abgelaufenen Quellen.',
  'origins-per-site':
    'Ein anderer Ursprung derselben Berichts-Website hat auf dieser Website innerhalb eines Tages eine Quelle registriert.',
  'destinations-per-minute':
    'Diese Berichts-Website hat auf dieser Website innerhalb einer Minute Quellen für zu viele Ziele registriert.',
  'destinations-per-day':
    'Diese Berichts-Website hat auf dieser Website innerhalb eines Tages Quellen für zu viele Ziele registriert.',
  'unexpired-destinations':
    'Diese Website hat ihr Limit an nicht abgelaufenen Zielen erreicht, und die Quellen für die anderen Ziele haben eine höhere destination_limit_priority.',
  'destinations-of-all':
    'Alle Berichts-Websites zusammen haben auf dieser Website innerhalb einer Minute Quellen für zu viele Ziele registriert.',
  'origins-per-destination':
    'In 30 Tagen haben zu viele andere Berichtsursprünge Quellen für diese Quell-Website und dieses Ziel registriert.',
  'privacy-budget': NO_PRIVACY_BUDGET,
  'impressions-of-unit': NO_PRIVACY_BUDGET,
  'joint-budget':
    'Was alle Berichtswebsites zusammen in diesem Zeitraum erfahren dürfen, ist ausgegeben, oder der Anteil einer Website. Die Quelle antwortet verrauscht wie jede andere, aber keine Conversion zählt für sie.',
};
