import { wordsOf } from '../words';
import { checks } from './checks';
import { units } from './units';

export const german = wordsOf('de', { checks, units });
