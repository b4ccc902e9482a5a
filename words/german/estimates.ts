import type { estimates as english } from '../english/estimates';

export const estimates: Readonly<Record<keyof typeof english, string>> = {
  shortfall:
    'Das Rauschen allein sollte etwa {expected, plural, one {# Quelle} other {# Quellen}} {reports, plural, =1 {einen Bericht} other {{reports} oder mehr Berichte}} geben, aber nur {observed, plural, one {# hat} other {# haben}} so viele: Berichte fehlen, oder Browser haben nicht alle gemeldeten Quellen gespeichert. Die Schätzungen sind zu niedrig. Jedes Intervall wäre falsch, darum wird keines gezeigt.',
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
  'unranked-unsure': 'nicht vergleichbar: Berichte fehlen, darum gilt kein Intervall',
  'unranked-alone': 'nichts zum Vergleichen',
  'ranks-meaning':
    'Ein Rang ist der Bereich der Plätze, die Rauschen und Zufall offen lassen. {pairs, plural, =1 {Der Vergleich gilt} other {Alle # Vergleiche zusammen gelten}} mit {level} Wahrscheinlichkeit: jeder wird auf {pairLevel} gemacht.',
};
