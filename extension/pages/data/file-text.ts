import { t } from '../../i18n';

/** In bytes: a saved state of full stores has some 100 MB. */
const LARGEST = 200_000_000;

export const fileTooLarge = (most: number): Error => new Error(t('file_too_large', { count: most }));

/**
 * The text of a file that the person chose.
 * @param most in bytes
 * @throws Error with a message for the person when it has more, before it is read
 */
export async function textOfFile(file: File, most = LARGEST): Promise<string> {
  if (file.size > most) throw fileTooLarge(most);
  return file.text();
}
