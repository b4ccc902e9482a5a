import type { estimates as english } from '../english/estimates';

export const estimates: Readonly<Record<keyof typeof english, string>> = {
  shortfall:
    'Das Rauschen allein sollte etwa {expected, plural, one {# Quelle} other {# Quellen}} {reports, plural, =1 {einen Bericht} other {{reports} oder mehr Berichte}} geben, aber nur {observed, plural, one {# hat} other {# haben}} so viele: Berichte fehlen, oder Browser haben nicht alle gemeldeten Quellen gespeichert. Erwartungstreue Schätzungen sind zu niedrig. Kein Intervall gilt, darum wird keine Schätzung gezeigt.',
  mismatch:
    'Diese Ausgaben können nicht aus dem angegebenen Rauschen stammen{group, select, none {} other {, und zwar in {group}}}: Was auch geschah, das Rauschen allein sollte etwa {expected, plural, one {# Quelle} other {# Quellen}} {about, select, value {{side, select, most {einen Wert von höchstens {value}} least {einen Wert von mindestens {value}} other {den Wert {value}}}} other {{side, select, most {{value, plural, =0 {keinen Bericht} one {höchstens # Bericht} other {höchstens # Berichte}}} other {{value, plural, one {mindestens # Bericht} other {mindestens # Berichte}}}}}}{about, select, data { mit Trigger-Daten {which}} window { aus einem Berichtsfenster} other {}} geben, aber {observed, plural, =0 {keine hat} one {nur # hat} other {nur # haben}} das. Vollständige Ausgaben dieses Rauschens sehen seltener als einmal in einer Million so aus. {side, select, least {Berichte gingen verloren, wurden verändert oder gefiltert} other {Berichte wurden erfunden, verändert oder gefiltert}}, das Rauschen war aus, oder das Protokoll nennt ein anderes ε oder eine andere Registrierung. Darum wird keine Schätzung gezeigt.{more, plural, =0 {} one { Dasselbe gilt für eine weitere Gruppe.} other { Dasselbe gilt für # weitere Gruppen.}}',
  'lost-reports':
    '{from, select, given {Wie angegeben sind {rate} % der Berichte nie angekommen (von {least} % bis {most} %). Die Schätzungen gleichen das aus, und die Intervalle decken, was dadurch offen bleibt. Schätzungen nach Maximum-Likelihood gibt es nicht.} delays {Nach den Verspätungen der angekommenen sind {rate} % der Berichte noch unterwegs (von {least} % bis {most} %). Die Schätzungen gleichen das aus, und die Intervalle decken, was dadurch offen bleibt. Schätzungen nach Maximum-Likelihood gibt es nicht.} reports {Die Zahlen der Berichte zeigen, dass einige nie angekommen sind: {rate} % (von {least} % bis {most} %). Die Schätzungen gleichen das aus, und die Intervalle decken, was dadurch offen bleibt. Schätzungen nach Maximum-Likelihood gibt es nicht.} contradicted {Die Zahlen der Berichte widersprechen dem angegebenen Anteil von {rate} % nie angekommener Berichte (von {least} % bis {most} %), in allen oder in einigen Gruppen. Kein Intervall gilt, darum wird keine Schätzung gezeigt.} other {Einige Berichte sind nie angekommen, und nicht jeder mit derselben Wahrscheinlichkeit: Gruppen oder Browser haben verschiedene Anteile verloren, oder einige Quellen haben nichts gesendet. Nichts gleicht das aus. Kein Intervall gilt, darum wird keine Schätzung gezeigt.}}',
  misfit:
    'Die Berichte passen nicht zum Modell der Maximum-Likelihood-Schätzung, in dem die Berichte einer Quelle unabhängig voneinander auf Trigger-Daten und Fenster fallen. Verwende die erwartungstreuen Schätzungen.',
  'true-reports':
    'Geschieht etwas nach {prior} von 100 solchen Anzeigen, dann {sure, select, yes {können fast alle Berichte darüber stimmen} other {stimmen höchstens {n} von {whole} Berichten darüber}}.',
  'uncovered-values':
    'nicht vergleichbar: {count, number} von {sources, plural, one {# Quelle} other {# Quellen}} {count, plural, one {berichtet} other {berichten}} nur Werte',
  'uncovered-buckets':
    'nicht vergleichbar: {count, number} von {sources, plural, one {# Quelle} other {# Quellen}} {count, plural, one {berichtet} other {berichten}} die erreichten Summen statt der Conversions',
  'uncovered-hidden':
    'nicht vergleichbar: Rauschen verbirgt die Conversions von {count, number} von {sources, plural, one {# Quelle} other {# Quellen}}',
  'unranked-windows':
    'nicht vergleichbar: Conversions zählen bis {windows} nach der Quelle; die der anderen bis {usual}',
  'unranked-unsure':
    'nicht vergleichbar: Berichte fehlen oder können nicht stimmen, darum gilt kein Intervall',
  'one-source':
    'Welcher Teil der Unsicherheit vom Rauschen kommt, ist unbekannt (–), wenn eine Gruppe von einer Konfiguration nur eine Quelle hat: Eine einzelne Quelle zeigt nicht, wie verschieden Quellen sind.',
  'unranked-alone': 'nichts zum Vergleichen',
  'ranks-meaning':
    'Ein Rang ist der Bereich der Plätze, die Rauschen und Zufall offen lassen. {pairs, plural, =1 {Der Vergleich gilt} other {Alle # Vergleiche zusammen gelten}} mit {level} Wahrscheinlichkeit: jeder wird auf {pairLevel} gemacht.',
};
