import type { Occasion } from './decision';
import type { SourceType } from './limits';

/** A registration header as it came, or one that a recording rule made. */
export interface Registration {
  readonly occasion: Occasion;
  readonly register:
    { readonly kind: 'source'; readonly sourceType: SourceType } | { readonly kind: 'trigger' };
  /** The value of the header. */
  readonly header: string;
  readonly fenced: boolean;
  /** Whether the reporting origin asked to be told of malformed headers (`Attribution-Reporting-Info`). */
  readonly reportHeaderErrors: boolean;
}
