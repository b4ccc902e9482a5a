/**
 * The discrete Fourier transform in place (Cooley and Tukey). The length must be a power of two.
 * @param sign −1 forwards, 1 backwards; backwards it does not divide by the length.
 */
export function fourierTransform(re: Float64Array, im: Float64Array, sign: 1 | -1): void {
  const length = re.length;
  reorder(re, im);
  for (let size = 2; size <= length; size *= 2) {
    const half = size / 2;
    for (let k = 0; k < half; k++) {
      const angle = (sign * 2 * Math.PI * k) / size;
      const cos = Math.cos(angle);
      const sin = Math.sin(angle);
      for (let even = k; even < length; even += size) {
        const odd = even + half;
        const a = cos * (re[odd] ?? 0) - sin * (im[odd] ?? 0);
        const b = cos * (im[odd] ?? 0) + sin * (re[odd] ?? 0);
        re[odd] = (re[even] ?? 0) - a;
        im[odd] = (im[even] ?? 0) - b;
        re[even] = (re[even] ?? 0) + a;
        im[even] = (im[even] ?? 0) + b;
      }
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
