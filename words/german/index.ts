import { wordsOf } from '../words';
import { checks } from './checks';
import { issues } from './issues';
import { units } from './units';

export const german = wordsOf('de', { checks, issues, units });
