import type { JSX } from 'preact';
import { estimatesQueryOf, queryOf, type View } from './address';
import { withMore } from './answers';

const formats = [
  ['ndjson', 'NDJSON'],
  ['csv', 'CSV'],
  ['parquet', 'Parquet'],
] as const;

const files = [
  ['reports', 'Reports', 'as received, with the time'],
  ['sources', 'Source log', 'with configurations and features'],
  ['training', 'Training data', 'noisy labels, features, and the weights that undo the noise in a loss'],
  ['estimates', 'Estimates', 'of all quantities and groups, with variances and intervals'],
] as const;

/** Files with the filtered rows. */
export function Downloads({ view, group }: { readonly view: View; readonly group: string }): JSX.Element {
  const addressOf = (file: string, format: string): string => {
    const query = file === 'estimates' ? estimatesQueryOf(view, group) : queryOf(view);
    return `/${file}?${withMore(query, { format }).toString()}`;
  };
  return (
    <section class="card">
      <h2>Download</h2>
      <ul class="downloads">
        {files.map(([file, title, says]) => (
          <li key={file}>
            <span>
              <strong>{title}</strong> <span class="soft">{says}</span>
            </span>
            <span class="row">
              {formats.map(([format, name]) => (
                <a
                  key={format}
                  class="button"
                  href={addressOf(file, format)}
                  download={`${file}.${format}`}
                  aria-label={`${title} as ${name}`}
                >
                  {name}
                </a>
              ))}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
