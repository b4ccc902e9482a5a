/** The most URLs of an image; the rest are ignored. As many `source` elements of its `picture` are read. */
const MOST = 20;

const SPACES = '\t\n\f\r ';

/** All URLs of which an image may request one, unresolved. */
export function candidateUrls(image: HTMLImageElement): readonly string[] {
  const sets = [image.srcset];
  let before = image.previousElementSibling;
  for (let read = 0; before !== null && read < MOST; read += 1) {
    if (before instanceof HTMLSourceElement) sets.push(before.srcset);
    before = before.previousElementSibling;
  }
  return [image.src, ...sets.flatMap(srcsetUrls)].slice(0, MOST);
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
    if (found.length === MOST) break;
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
