import { replaceMethod } from './methods';

/** Chromium's interface; Firefox has none. */
interface FeaturePolicy {
  allowsFeature(feature: string, origin?: string): boolean;
  features(): readonly string[];
  allowedFeatures(): readonly string[];
  getAllowlistForFeature(feature: string): readonly string[];
}

declare global {
  interface Window {
    readonly FeaturePolicy?: { readonly prototype: FeaturePolicy };
  }
}

const FEATURE = 'attribution-reporting';

/**
 * Names the feature to pages that ask before they use the API. It says yes also where a policy forbids the feature; there the background drops
 * what is registered.
 */
export function extendFeaturePolicy(): void {
  const prototype = window.FeaturePolicy?.prototype;
  if (prototype === undefined) return;
  replaceMethod(
    prototype,
    'allowsFeature',
    (native) =>
      function (this: FeaturePolicy, ...args: Parameters<typeof native>) {
        return (Reflect.apply(native, this, args) as boolean) || args[0] === FEATURE;
      },
  );
  const withFeature = (native: () => readonly string[]) =>
    function (this: FeaturePolicy) {
      return [...new Set([...Reflect.apply(native, this, []), FEATURE])];
    };
  replaceMethod(prototype, 'features', withFeature);
  replaceMethod(prototype, 'allowedFeatures', withFeature);
  replaceMethod(
    prototype,
    'getAllowlistForFeature',
    (native) =>
      function (this: FeaturePolicy, ...args: Parameters<typeof native>) {
        const allowlist = Reflect.apply(native, this, args) as readonly string[];
        return args[0] === FEATURE ? ['*'] : allowlist;
      },
  );
}
