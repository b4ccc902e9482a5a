/** Yields results in the order of the items, and works on a limited number of items at once. */
export async function* inOrder<Item, Result>(
  items: AsyncIterable<Item> | Iterable<Item>,
  work: (item: Item) => Promise<Result>,
  atOnce: number,
): AsyncGenerator<readonly [Item, Result], void, undefined> {
  const begun: { readonly item: Item; readonly result: Promise<Result> }[] = [];
  const first = async (): Promise<readonly [Item, Result] | null> => {
    const next = begun.shift();
    return next === undefined ? null : [next.item, await next.result];
  };
  for await (const item of items) {
    const result = work(item);
    // The loop looks at it later; until then a failure must not count as unhandled.
    result.catch(() => undefined);
    begun.push({ item, result });
    const done = begun.length < atOnce ? null : await first();
    if (done !== null) yield done;
  }
  for (let done = await first(); done !== null; done = await first()) yield done;
}
