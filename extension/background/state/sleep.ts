/**
 * Without a timer where there is nothing to wait for: a page that closes is gone soon.
 * @param time in ms
 */
export const sleep = async (time: number): Promise<void> => {
  if (time > 0) await new Promise((resolve) => setTimeout(resolve, time));
};
