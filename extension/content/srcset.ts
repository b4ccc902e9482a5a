import { MOST_CANDIDATES } from '../content-messages';

/** The most elements of a `picture` that are read for each image in it: a page may put many images there. */
const MOST_CHILDREN = 100;

const SPACES = '\t\n\f\r ';

/**
 * The URLs of which an image may request one, unresolved, each once, in the order in which browsers look at them.
 * @param sets the `srcset` of each `source` of its picture
 */
export function candidateUrls(
  { src, srcset }: Pick<HTMLImageElement, 'src' | 'srcset'>,
  sets: readonly string[],
): readonly string[] {
  return [...new Set([...[...sets, srcset].flatMap(srcsetUrls), src])].slice(0, MOST_CANDIDATES);
}

/** The `srcset` of each `source` of an image's picture. Only those before the image count. */
export function sourceSets(image: HTMLImageElement): readonly string[] {
  const sets: string[] = [];
  if (!(image.parentElement instanceof HTMLPictureElement)) return sets;
  let child = image.parentElement.firstElementChild;
  for (let read = 0; child !== null && child !== image && read < MOST_CHILDREN; read += 1) {
    if (child instanceof HTMLSourceElement) sets.push(child.srcset);
    child = child.nextElementSibling;
  }
  return sets;
}

/**
 * The URLs in a `srcset`, unresolved (HTML, "parse a srcset attribute"). Spaces end a URL, and a comma its descriptors, unless it is between
 * brackets.
 */
export function srcsetUrls(srcset: string): readonly string[] {
  const found: string[] = [];
  let url = '';
  let part: 'url' | 'descriptors' | 'brackets' = 'url';
  // The space ends the last one.
  for (const letter of `${srcset} `) {
    if (found.length === MOST_CANDIDATES) break;
    if (part === 'brackets') part = letter === ')' ? 'descriptors' : part;
    else if (part === 'descriptors') part = letter === ',' ? 'url' : letter === '(' ? 'brackets' : part;
    else if (url === '' && letter === ',') continue;
    else if (!SPACES.includes(letter)) url += letter;
    else if (url !== '') {
      part = url.endsWith(',') ? 'url' : 'descriptors';
      found.push(withoutCommas(url));
      url = '';
    }
  }
  return found;
}

/** Without those at the end. */
function withoutCommas(url: string): string {
  let end = url.length;
  while (url[end - 1] === ',') end -= 1;
  return url.slice(0, end);
}
