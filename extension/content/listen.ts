const listenAgain: (() => void)[] = [];

/**
 * Adds an event listener that survives `document.open`. That call removes all listeners of the document and its window, including those of
 * extensions, but keeps observers. Events later in the same task are missed.
 */
export function listen(
  target: Document | Window | ShadowRoot,
  type: string,
  listener: (event: Event) => void,
  options: AddEventListenerOptions = {},
): void {
  const add = (): void => {
    target.addEventListener(type, listener, options);
  };
  add();
  if (target instanceof ShadowRoot) return;
  if (listenAgain.push(add) === 1) new MutationObserver(addAll).observe(document, { childList: true });
}

/** `addEventListener` ignores a listener that is already there (DOM, "add an event listener"). */
function addAll(): void {
  for (const add of listenAgain) add();
}
