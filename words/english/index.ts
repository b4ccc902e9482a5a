import { wordsOf } from '../words';
import { checks } from './checks';
import { issues } from './issues';
import { units } from './units';

export const english = wordsOf('en', { checks, issues, units });
