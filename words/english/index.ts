import { wordsOf } from '../words';
import { checks } from './checks';
import { issues } from './issues';
import { units } from './units';

/** Puts mistakes, checks and privacy units into English. */
export const english = wordsOf('en', { checks, issues, units });
