import { LONGEST_DIRECTIVE, LONGEST_URL, type FrameAttribute } from '../../content-messages';
import { list, stringUpTo, type Parser } from '../../../formats/codec/codec';
import { Fields } from '../../../formats/codec/record';

/** The most frames in one question. */
export const MOST_ASKED = 50;

const attribute: Parser<FrameAttribute> = (place) => {
  const fields = new Fields(place);
  return {
    allow: fields.required('allow', stringUpTo(LONGEST_DIRECTIVE), ''),
    src: fields.required('src', stringUpTo(LONGEST_URL), ''),
  };
};

/** Parses what a content script says of the frames of its document. */
export const frameAnswer: Parser<readonly (readonly FrameAttribute[])[]> = list(
  list(attribute, { max: MOST_ASKED }),
  { max: MOST_ASKED },
);
