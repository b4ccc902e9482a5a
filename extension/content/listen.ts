const listenAgain: (() => void)[] = [];

/**
 * Adds an event listener that `document.open` does not end: that call removes all listeners of the document and its
 * window, those of extensions as well, but no observers. What the page does in the same task as that call is missed.
 */
export function listen(
  target: Document | Window,
  type: string,
  listener: (event: Event) => void,
  options: AddEventListenerOptions = {},
): void {
  const add = (): void => {
    target.addEventListener(type, listener, options);
  };
  add();
  if (listenAgain.push(add) === 1) new MutationObserver(addAll).observe(document, { childList: true });
}

/** A listener that is still there is not added twice (DOM, "add an event listener"). */
function addAll(): void {
  for (const add of listenAgain) add();
}
