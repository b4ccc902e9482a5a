import { wordsOf } from '../words';
import { checks } from './checks';
import { issues } from './issues';
import { units } from './units';

/** Puts mistakes, checks and privacy units into English. */
export const english = wordsOf('en', {
  checks,
  issues,
  units,
  limitsOfSpecification:
    'What is promised about noise does not hold once a limit is reached. The settings let limits count what the specification counts (“limits”: “specification”), so what is reported about one ad can tell what happened after another.',
});
