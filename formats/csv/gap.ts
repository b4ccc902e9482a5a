/** As pandas, databases and JavaScript write them. Other spellings, such as `none` and `Nan`, are values that people chose. */
const GAP = /^(nan|NaN|NaT|None|<NA>|NULL|null)?$/;

/** Whether a cell is how programs write a missing value. */
export const isGap = (cell: string): boolean => GAP.test(cell.trim());
