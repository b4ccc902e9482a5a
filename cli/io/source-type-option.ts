import { Option } from 'commander';
import type { SourceType } from '../../src/model/limits';

export const sourceTypeOption = (): Option =>
  new Option('--source-type <type>', 'the type of the source').choices([
    'navigation',
    'event',
  ] satisfies SourceType[]);
