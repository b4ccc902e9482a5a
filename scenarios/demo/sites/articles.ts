export interface Article {
  readonly slug: string;
  readonly section: string;
  readonly title: string;
  readonly standfirst: string;
  readonly author: string;
  readonly minutes: number;
  readonly caption: string;
  /** At least four. */
  readonly paragraphs: readonly string[];
}

const secretCoin: Article = {
  slug: 'the-coin-that-keeps-a-secret',
  section: 'Ideas',
  title: 'The coin that keeps a secret',
  standfirst:
    'Sixty years ago a statistician found a way to ask people embarrassing questions and get honest answers. All it takes is a coin, and the nerve to let it lie for you.',
  author: 'Henrietta Obol',
  minutes: 4,
  caption: 'Seven moments of one toss. Nobody, the tosser included, knows how it ends.',
  paragraphs: [
    'Ask a thousand people whether they have ever fiddled their taxes, and you will learn mostly how many are willing to say so to a stranger with a clipboard. In 1965 Stanley Warner, an economist with a gift for the sideways step, proposed to leave the stranger in the dark on purpose.',
    'In the version that classrooms love, everyone tosses a coin where nobody else can see it. Heads: answer truthfully. Tails: toss again, and say “yes” or “no” as the second toss commands. A “yes” may now be a confession, or it may be a coin. The person who said it can shrug, and the shrug is worth something: no one will ever be able to prove which it was.',
    'And yet the crowd cannot hide. Suppose four hundred of the thousand say “yes”. About two hundred and fifty of those were only obeying their second toss, because a quarter of all answers are forced that way. The hundred and fifty that remain come from the five hundred or so who told the truth. Three in ten, then, have fiddled, and not one of them has been caught.',
    'The price is paid in precision. Half of the answers carry nothing, so the estimate wobbles more than an honest survey of the same size would. Ask more people and the wobble shrinks; ask too few and the coin drowns the truth. The trade can be written down exactly, and that is why the trick outlived the clipboard.',
    'Today the coin is loaded, and the person holding it is your browser. Rather than asking you whether an ad led you to buy something, a measuring system can let the browser answer, and have it lie at random now and then: once in a few hundred answers, or every third one, as strictly as is wanted. What leaves the device is an answer with a shrug built in.',
    'The strictness has a name, the Greek letter epsilon, and it measures how much a single answer may give away. At zero the coin decides everything and the answers are worthless. At fourteen it hardly ever lies. Somewhere in between sits a number that people who count and people who are counted could both sign, and the argument over which number that is has only begun.',
    'Warner would have enjoyed it. His bet was that people answer honestly once they need not trust the man who asks, only the method. So he handed them a spinner, and let them spin it themselves.',
  ],
};

const notQuiteFair: Article = {
  slug: 'not-quite-fair',
  section: 'Science',
  title: 'After 350,757 tosses, the coin is not quite fair',
  standfirst:
    'It is not the coin, it is the thumb: whatever side begins on top is a little more likely to end there.',
  author: 'Florian Groat',
  minutes: 3,
  caption: 'A coin that wobbles as it spins shows one face to the sky longer than the other.',
  paragraphs: [
    'Forty-eight people, coins of forty-six currencies, and a great many sore thumbs: that is what it took to settle a prediction that had been waiting since 2007. The team around František Bartoš in Amsterdam tossed and caught until it had 350,757 results on video.',
    'Heads and tails came out even. The surprise was elsewhere. A coin landed on the side it had started from in 50.8 per cent of all tosses, and with that many tosses there is little room for luck.',
    'Persi Diaconis, Susan Holmes and Richard Montgomery had worked out why. A tossed coin does not only turn over, it also wobbles about its axis like a badly thrown plate, and the wobble keeps the starting face up for slightly more than half of the flight. Their estimate was about 51 per cent.',
    'People differ. Some of the tossers showed hardly any bias, others a good deal more than the average, and with practice the effect faded. A casino that paid even money on the starting side would still not stay in business for long.',
    'The remedy is free: hide the coin before it is tossed. If nobody knows what side began on top, nobody knows which way to lean.',
  ],
};

const bentCoin: Article = {
  slug: 'how-to-settle-it-with-a-bent-coin',
  section: 'Household',
  title: 'How to settle it with a bent coin',
  standfirst:
    'Your only coin has been under a tram. You can still share the last slice fairly, if you are patient.',
  author: 'Ada Farthing',
  minutes: 2,
  caption: 'Two tosses that disagree are worth one that can be trusted.',
  paragraphs: [
    'A coin that lands heads seven times in ten is no use for a fair decision. Two of its tosses are. The recipe is John von Neumann’s, from a short paper of 1951, and it fits on the back of a tram ticket.',
    'Toss twice. If the two agree, forget them and start again. If they differ, the first of the two is your answer. Heads and then tails is exactly as likely as tails and then heads, however badly the coin is bent, since both are the same two chances multiplied in a different order.',
    'You pay in tosses. A straight coin needs four on average before two of them differ in the right way; the seven-in-ten coin needs not quite five. A coin that nearly always lands heads will keep you there past dinner.',
    'There are two conditions. The coin must not change its habits between the tosses, and nobody may choose when to stop. Write the rule down before the first toss, and let the person who wants the slice less do the tossing.',
  ],
};

/** The lead story first. */
export const articles: readonly [Article, ...Article[]] = [secretCoin, notQuiteFair, bentCoin];
