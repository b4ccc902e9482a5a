import type { JSX } from 'preact';
import { estimatesQueryOf, queryOf, type View } from './address';
import { withMore } from './answers';
import { t } from './language';

const formats = [
  ['ndjson', 'NDJSON'],
  ['csv', 'CSV'],
  ['parquet', 'Parquet'],
] as const;

const files = [
  ['reports', 'file-reports', 'file-reports-meaning'],
  ['sources', 'file-sources', 'file-sources-meaning'],
  ['training', 'file-training', 'file-training-meaning'],
  ['estimates', 'file-estimates', 'file-estimates-meaning'],
] as const;

/** Files with the filtered rows. */
export function Downloads({ view, group }: { readonly view: View; readonly group: string }): JSX.Element {
  const addressOf = (file: string, format: string): string => {
    const query = file === 'estimates' ? estimatesQueryOf(view, group) : queryOf(view);
    return `/${file}?${withMore(query, { format }).toString()}`;
  };
  return (
    <section class="card">
      <h2>{t('download')}</h2>
      <ul class="downloads">
        {files.map(([file, title, meaning]) => (
          <li key={file}>
            <span>
              <strong>{t(title)}</strong> <span class="soft">{t(meaning)}</span>
            </span>
            <span class="row">
              {formats.map(([format, name]) => (
                <a
                  key={format}
                  class="button"
                  href={addressOf(file, format)}
                  download={`${file}.${format}`}
                  aria-label={t('download-as', { file: t(title), format: name })}
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
