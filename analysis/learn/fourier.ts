/**
 * The discrete Fourier transform in place (Cooley and Tukey). The length must be a power of two.
 * @param sign −1 forwards, 1 backwards; backwards it does not divide by the length.
 */
export function fourierTransform(re: Float64Array, im: Float64Array, sign: 1 | -1): void {
  const length = re.length;
  reorder(re, im);
  const [cosines, sines] = [new Float64Array(length / 2), new Float64Array(length / 2)];
  for (let size = 2; size <= length; size *= 2) {
    const half = size / 2;
    for (let k = 0; k < half; k++) {
      const angle = (sign * 2 * Math.PI * k) / size;
      cosines[k] = Math.cos(angle);
      sines[k] = Math.sin(angle);
    }
    // In the order in which memory has them.
    for (let start = 0; start < length; start += size)
      for (let k = 0; k < half; k++) {
        const [even, odd] = [start + k, start + k + half];
        const [cos, sin] = [cosines[k] ?? 0, sines[k] ?? 0];
        const a = cos * (re[odd] ?? 0) - sin * (im[odd] ?? 0);
        const b = cos * (im[odd] ?? 0) + sin * (re[odd] ?? 0);
        re[odd] = (re[even] ?? 0) - a;
        im[odd] = (im[even] ?? 0) - b;
        re[even] = (re[even] ?? 0) + a;
        im[even] = (im[even] ?? 0) + b;
      }
  }
}

/** Swaps each entry with the one whose index has the same bits backwards. */
function reorder(re: Float64Array, im: Float64Array): void {
  const length = re.length;
  for (let i = 1, j = 0; i < length; i++) {
    let bit = length >> 1;
    for (; (j & bit) !== 0; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i >= j) continue;
    for (const array of [re, im]) {
      const kept = array[i] ?? 0;
      array[i] = array[j] ?? 0;
      array[j] = kept;
    }
  }
}
