import { wordsOf } from '../words';
import { checks } from './checks';
import { issues } from './issues';
import { units } from './units';

export const german = wordsOf('de', {
  checks,
  issues,
  units,
  limitsOfSpecification:
    'Was über das Rauschen versprochen wird, gilt nicht mehr, sobald eine Grenze erreicht ist. Nach den Einstellungen zählen Grenzen, was die Spezifikation zählt („limits“: „specification“). Was über eine Anzeige berichtet wird, kann dann verraten, was nach einer anderen geschah.',
});
