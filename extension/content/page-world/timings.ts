import { withoutMark } from '../../eligibility-mark';
import { replaceAccessor, replaceMethod } from './methods';

interface Timing {
  readonly name: string;
}

/** Hides marks in the names of resource timings, which many pages send to a server. */
export function extendTimings(): void {
  replaceAccessor(
    PerformanceEntry.prototype,
    'name',
    'get',
    (native) =>
      function (this: PerformanceEntry) {
        return withoutMark(Reflect.apply(native, this, []) as string);
      },
  );
  replaceMethod(
    PerformanceResourceTiming.prototype,
    'toJSON',
    (native) =>
      function (this: PerformanceResourceTiming) {
        const timing = Reflect.apply(native, this, []) as Timing;
        return { ...timing, name: withoutMark(timing.name) };
      },
  );
}
