test('a mark of a number that is not known says none', async () => {
  const { IntervalMark, scaleOf } = await import('../../../collector/dashboard/client/interval-mark');
  const { h } = await import('preact');
  const { default: render } = await import('preact-render-to-string');
  const markOf = (of: Parameters<typeof IntervalMark>[0]['of']): string =>
    render(h(IntervalMark, { of, truth: null, scale: scaleOf([0, 0.2]) }));
  expect(markOf({ value: 0.1, low: 0, high: 0.2 })).toContain('cx="50"');
  expect(markOf({ value: NaN, low: NaN, high: NaN })).toBe('');
});
