/** In ms since 1970, by a clock that nobody turns while the background runs; the device's clock says only when that began. */
export const steadyNow = (): number => performance.timeOrigin + performance.now();
