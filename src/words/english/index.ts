import { wordsOf } from '../words';
import { checks } from './checks';
import { units } from './units';

export const english = wordsOf('en', { checks, units });
