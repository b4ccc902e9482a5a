import type { Html } from '../../../collector/dashboard/html';
import { coinPicture, notebookPicture, spinnerPicture, teaPicture } from './pictures';

export interface Product {
  readonly slug: string;
  readonly name: string;
  readonly tagline: string;
  readonly description: readonly string[];
  /** In cents. */
  readonly price: number;
  readonly picture: () => Html;
}

export const MAX_QUANTITY = 5;

export const products: readonly Product[] = [
  {
    slug: 'decision-coin',
    name: 'Decision Coin',
    tagline: 'Yes on one side, no on the other.',
    description: [
      'Solid brass, 38 millimetres across and heavy enough to be taken seriously. Struck, not cast, so that both faces weigh the same to a hundredth of a gram.',
      'Comes in a linen pouch, with a card that explains why the feeling you have while it is in the air is usually the answer.',
    ],
    price: 4200,
    picture: coinPicture,
  },
  {
    slug: 'book-of-small-bets',
    name: 'Book of Small Bets',
    tagline: 'Write it down before you toss.',
    description: [
      'A pocket notebook with room for a question, the odds you would give, and how it came out. After a year it knows how well you guess.',
      '128 numbered pages of paper that takes ink, sewn, with an elastic and a ribbon.',
    ],
    price: 1800,
    picture: notebookPicture,
  },
  {
    slug: 'second-flip-tea',
    name: 'Second-Flip Tea',
    tagline: 'Best of three, in a tin.',
    description: [
      'A second-flush black tea for those who did not like how the first toss came out. Three minutes in the pot, which is long enough to change your mind.',
      '100 grams in a tin with a lid that lands either way.',
    ],
    price: 1250,
    picture: teaPicture,
  },
  {
    slug: 'spinner',
    name: 'The Spinner',
    tagline: 'For questions a coin cannot answer.',
    description: [
      'A disc of beech with a steel needle on a jewel bearing. Set the border where you like: it tells the truth exactly as often as you allow it to.',
      'The scale on the rim is in per cent, and in epsilon for those who care.',
    ],
    price: 2400,
    picture: spinnerPicture,
  },
];

export const productBySlug = (slug: string): Product | null =>
  products.find((product) => product.slug === slug) ?? null;

/** `€ 42.00`, from cents. */
export const euros = (cents: number): string => `€ ${(cents / 100).toFixed(2)}`;
