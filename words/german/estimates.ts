import type { estimates as english } from '../english/estimates';

export const estimates: Readonly<Record<keyof typeof english, string>> = {
  shortfall:
    'Das Rauschen allein sollte etwa {expected, plural, one {# Quelle} other {# Quellen}} {reports, plural, =1 {einen Bericht} other {{reports} oder mehr Berichte}} geben, aber nur {observed, plural, one {# hat} other {# haben}} so viele: Berichte fehlen, oder Browser haben nicht alle gemeldeten Quellen gespeichert. Die Schätzungen sind zu niedrig. Jedes Intervall wäre falsch, darum wird keines gezeigt.',
  'lost-reports':
    '{from, select, given {Wie angegeben sind {rate} % der Berichte nie angekommen} other {Die Zahlen der Berichte zeigen, dass einige nie angekommen sind: {rate} %}} (von {least} % bis {most} %). Die Schätzungen gleichen das aus, und die Intervalle decken, was dadurch offen bleibt. Schätzungen nach Maximum-Likelihood gibt es nicht.',
  misfit:
    'Die Berichte passen nicht zum Modell der Maximum-Likelihood-Schätzung, in dem die Berichte einer Quelle unabhängig voneinander auf Trigger-Daten und Fenster fallen. Verwende die erwartungstreuen Schätzungen.',
  'true-reports':
    'Geschieht etwas nach {prior} von 100 solchen Anzeigen, dann {sure, select, yes {können fast alle Berichte darüber stimmen} other {stimmen höchstens {n} von {whole} Berichten darüber}}.',
};
