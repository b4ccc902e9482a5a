/**
 * How many times as long something takes for 16 times the input, in processor time. Less than a millisecond is not measured.
 * @param prepare makes an input of about so many bytes; what it gives is measured
 */
export async function growth(
  tries: number,
  prepare: (size: number) => Promise<() => Promise<unknown>>,
): Promise<number> {
  const milliseconds = async (size: number): Promise<number> => {
    const times = [];
    for (let tried = 0; tried < tries; tried++) {
      const read = await prepare(size);
      const before = process.cpuUsage();
      await read();
      const { user, system } = process.cpuUsage(before);
      times.push((user + system) / 1000);
    }
    return Math.min(...times);
  };
  await milliseconds(1_000_000);
  return (await milliseconds(1_000_000)) / Math.max(await milliseconds(62_500), 1);
}
