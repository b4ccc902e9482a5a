/** Code of a page that declares an image with `attributionsrc` at a URL, and never requests it, because it is far below. */
export const declareImage = (url: string): string => `
  const lazy = new Image();
  lazy.setAttribute('attributionsrc', '');
  lazy.loading = 'lazy';
  lazy.style.cssText = 'display: block; margin-top: 100000px';
  document.body.append(lazy);
  lazy.src = '${url}';
`;

/** Code of a page that does so, and later shows a plain image from another URL. */
export const declareAndShow = (declared: string, shown: string, after: number): string =>
  `${declareImage(declared)} setTimeout(() => { new Image().src = '${shown}'; }, ${after});`;
