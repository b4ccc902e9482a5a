import type { estimates as english } from '../english/estimates';

export const estimates: Readonly<Record<keyof typeof english, string>> = {
  shortfall:
    'Das Rauschen allein sollte etwa {expected, plural, one {# Quelle} other {# Quellen}} {reports, plural, =1 {einen Bericht} other {{reports} oder mehr Berichte}} geben, aber nur {observed, plural, one {# hat} other {# haben}} so viele: Berichte fehlen, oder Browser haben nicht alle gemeldeten Quellen gespeichert. Erwartungstreue Schätzungen sind zu niedrig. Kein Intervall gilt, darum wird keine Schätzung gezeigt.',
  mismatch:
    'Diese Ausgaben können nicht aus dem angegebenen Rauschen stammen{group, select, none {} other {, und zwar in {group}}}: Was auch geschah, das Rauschen allein sollte etwa {expected, plural, one {# Quelle} other {# Quellen}} {about, select, value {{side, select, most {einen Wert von höchstens {value}} least {einen Wert von mindestens {value}} other {den Wert {value}}}} other {{side, select, most {{value, plural, =0 {keinen Bericht} one {höchstens # Bericht} other {höchstens # Berichte}}} other {{value, plural, one {mindestens # Bericht} other {mindestens # Berichte}}}}}}{about, select, data { mit Trigger-Daten {which}} window { aus einem Berichtsfenster} other {}} geben, aber {observed, plural, =0 {keine hat} one {nur # hat} other {nur # haben}} das. Vollständige Ausgaben dieses Rauschens sehen seltener als einmal in einer Million so aus. {side, select, least {Berichte gingen verloren, wurden verändert oder gefiltert} other {Berichte wurden erfunden, verändert oder gefiltert}}, das Rauschen war aus, oder das Protokoll nennt ein anderes ε oder eine andere Registrierung. Darum wird keine Schätzung gezeigt.{more, plural, =0 {} one { Dasselbe gilt für eine weitere Gruppe.} other { Dasselbe gilt für # weitere Gruppen.}}',
  'lost-reports':
    '{from, select, given {Wie angegeben sind {rate, number} % der Berichte nie angekommen (von {least, number} % bis {most, number} %). Die Schätzungen gleichen das aus, und die Intervalle decken, was dadurch offen bleibt. Schätzungen nach Maximum-Likelihood gibt es nicht.} delays {Nach den Verspätungen der angekommenen sind {rate, number} % der Berichte noch unterwegs (von {least, number} % bis {most, number} %). Die Schätzungen gleichen das aus, und die Intervalle decken, was dadurch offen bleibt. Schätzungen nach Maximum-Likelihood gibt es nicht.} reports {Die Zahlen der Berichte zeigen, dass einige nie angekommen sind: {rate, number} % (von {least, number} % bis {most, number} %). Die Schätzungen gleichen das aus, und die Intervalle decken, was dadurch offen bleibt. Schätzungen nach Maximum-Likelihood gibt es nicht.} heartbeats {Die Heartbeats zeigen, dass {rate, number} % der Berichte nie angekommen sind (von {least, number} % bis {most, number} %). Die Schätzungen gleichen das aus, und die Intervalle decken, was dadurch offen bleibt. Schätzungen nach Maximum-Likelihood gibt es nicht.} none {Die Heartbeats zeigen keinen verlorenen Bericht, aber bis zu {most, number} % können verloren sein. Die Intervalle decken das, außer denen der Schätzungen nach Maximum-Likelihood.} contradicted {Die Zahlen der Berichte widersprechen dem angegebenen Anteil von {rate, number} % nie angekommener Berichte (von {least, number} % bis {most, number} %), in allen oder in einigen Gruppen. Kein Intervall gilt, darum wird keine Schätzung gezeigt.} refuted {Die Heartbeats widersprechen dem Rauschen oder den anderen Berichten: Sie haben mehr Berichte, als das Rauschen gibt, oder der Verlust, den sie zeigen ({rate, number} %, von {least, number} % bis {most, number} %), passt nicht zu den Zahlen der Berichte, in allen oder in einigen Gruppen. Kein Intervall gilt, darum wird keine Schätzung gezeigt.} silent {Von den Heartbeats ist kaum ein Bericht angekommen, darum begrenzt nichts den Anteil nie angekommener Berichte. Kein Intervall gilt, darum wird keine Schätzung gezeigt.} other {Die Anzahlen der Berichte passen weder zum Rauschen noch zu einem Verlust, der jeden Bericht gleich wahrscheinlich trifft: Gruppen oder Browser haben verschiedene Anteile verloren, einige Quellen haben nichts gesendet, oder Berichte sind erfunden. Nichts gleicht das aus. Kein Intervall gilt, darum wird keine Schätzung gezeigt.}}',
  'losses-unknown':
    'Nichts sagt, wie viele Berichte verloren gingen. Mit jedem 1 %, das nie ankam, ist die erwartungstreue Schätzung der Conversions um etwa {conversions, number} zu niedrig, und die Intervalle decken das nicht. {share, select, statable {Der Anteil lässt sich angeben, wenn er bekannt ist. Auch Heartbeats zeigen ihn, sobald sie registriert sind.} other {Heartbeats zeigen den Anteil, sobald sie registriert sind.}}',
  misfit:
    'Die Berichte passen nicht zum Modell der Maximum-Likelihood-Schätzung, in dem die Berichte einer Quelle unabhängig voneinander auf Trigger-Daten und Fenster fallen. Zu verwenden sind die erwartungstreuen Schätzungen.',
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
  'unranked-others': 'nicht vergleichbar: Berichte anderer Gruppen fehlen oder können nicht stimmen',
  'alike-sources':
    'Welcher Teil der Unsicherheit vom Rauschen kommt, ist unbekannt (–), wenn alle Quellen einer Gruppe gleich berichtet haben, wie es eine einzelne tut: Sie zeigen nicht, wie verschieden Quellen sind.',
  'alike-names':
    'Eine Gruppe oder mehrere? Ihre Namen unterscheiden sich nur in der Schreibweise: {names}{more, plural, =0 {} other { und # weitere}}. Jede wird für sich geschätzt.',
  'other-rates':
    '{other, number} von {used, plural, one {# verwendeten Bericht nennt} other {# verwendeten Berichten nennen}} einen anderen Anteil des Rauschens, als ihre Quelle im Protokoll hat. Zu prüfen sind dort Registrierung, ε und Mechanismus: Sind sie falsch, so sind es auch die Schätzungen.',
  'lift-doubt':
    'Von {sources, plural, one {# Quelle} other {# Quellen}} gehören {share, number, ::.##########} % zur Holdout-Gruppe, nicht {held, number, ::.##########} %. Der Zufall macht keinen solchen Unterschied, wenn Menschen bis zu 20 Quellen haben. Entweder ist ein anderer Anteil der Menschen in der Holdout-Gruppe, und der Lift ist falsch; oder die Gruppen haben Quellen, die der Zufall nicht aufgeteilt hat, wie Klicks, die zu keiner Gruppe gehören; oder Menschen haben viel mehr Quellen.',
  'unranked-alone': 'nichts zum Vergleichen',
  'ranks-meaning':
    'Ein Rang ist der Bereich der Plätze, die Rauschen und Zufall offen lassen. {pairs, plural, =1 {Der Vergleich gilt} other {Alle # Vergleiche zusammen gelten}} mit {level} Wahrscheinlichkeit: jeder wird auf {pairLevel} gemacht.',
};
