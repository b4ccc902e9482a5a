import type { ComponentChildren, JSX } from 'preact';

/** The headings of a table's columns. An empty text is a column without a heading, and false none. */
export const TableHead = ({ of }: { readonly of: readonly ComponentChildren[] }): JSX.Element => (
  <thead>
    <tr>
      {of.map((title, index) =>
        title === false ? null : title === '' ? (
          <td key={index} />
        ) : (
          <th key={index} scope="col">
            {title}
          </th>
        ),
      )}
    </tr>
  </thead>
);
