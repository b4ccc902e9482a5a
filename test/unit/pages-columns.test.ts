import { allowedColumns } from '../../extension/pages/data/table';
import { tableDefinitions } from '../../extension/pages/data/tables';

/** Pixels beside the navigation and the number of the row, in a window 1360 pixels wide with a scroll bar. */
const ROOM = 1013;

describe.each(tableDefinitions.map(({ name, columns }) => [name, columns] as const))(
  'the table of %s',
  (_, columns) => {
    it.each([false, true])(
      'fits beside the navigation until people add columns (debug mode: %s)',
      (truth) => {
        const shown = allowedColumns(columns, truth).filter(({ optional }) => optional !== true);
        expect(shown.reduce((sum, { width }) => sum + width, 0)).toBeLessThanOrEqual(ROOM);
      },
    );
  },
);
