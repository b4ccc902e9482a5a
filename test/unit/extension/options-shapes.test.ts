import { modelsBeside } from '../../../analysis/credits/models';
import { parseSettings } from '../../../formats/settings/parse-settings';
import { defaultSettings } from '../../../formats/settings/settings';
import { settingGroups, settingsWith, valueInWords } from '../../../extension/pages/views/options/entries';
import { hasGrouped, sentAfter, withoutEmptyEntries } from '../../../extension/pages/views/options/entered';
import { ofKind, shapeOf, type Shape } from '../../../extension/pages/views/options/shape';
import { choiceNames, fieldNames, kindName } from '../../../extension/pages/views/options/shape-words';

const shaped = settingGroups
  .flatMap(({ entries }) => entries)
  .flatMap(({ path, control }) => (control.kind === 'shape' ? [{ path, ...control }] : []));

/** A shape, and those inside it. */
const within = (shape: Shape): readonly Shape[] => [shape, ...partsOf(shape).flatMap(within)];

function partsOf(shape: Shape): readonly Shape[] {
  switch (shape.kind) {
    case 'list':
      return [shape.item];
    case 'optional':
      return [shape.of];
    case 'record':
      return [...shape.fields.values()];
    case 'union':
      return [...shape.variants.values()];
    case 'choice':
    case 'lines':
    case 'number':
    case 'text':
      return [];
  }
}

describe('the shapes of settings', () => {
  it('are those of the settings that are more than one value', () => {
    expect(shaped.map(({ path, shape }) => [path, shape.kind])).toEqual([
      ['liftTest', 'optional'],
      ['aggregationKeys', 'list'],
      ['attribution', 'union'],
      ['labelNoise', 'union'],
      ['budget.joint', 'optional'],
      ['budget.owners', 'list'],
    ]);
  });

  it.each(shaped)('of $path have a name for each field and choice', ({ shape }) => {
    const all = within(shape);
    const fields = all.flatMap((one) => (one.kind === 'record' ? [...one.fields.keys()] : []));
    const choices = all.flatMap((one) => (one.kind === 'choice' ? one.choices : []));
    expect(fields.filter((name) => !(name in fieldNames))).toEqual([]);
    expect(choices.filter((name) => !(name in choiceNames))).toEqual([]);
  });

  it.each(shaped)('of $path begin a new kind with a valid value', ({ path, shape, examples }) => {
    if (shape.kind !== 'union') return;
    for (const kind of shape.variants.keys()) {
      expect(kindName(kind)).toMatch(/^[A-Z]/);
      const { errors } = parseSettings(settingsWith(path, ofKind(kind, examples, null)));
      expect(errors).toEqual([]);
    }
  });

  it('keep what two kinds share, but no lists, which depend on each other', () => {
    const models = modelsBeside({ kind: 'priority' }).map((model) => ({ ...model }));
    const chosen = { kind: 'exponential', epsilon: 3, score: 'linear', unit: 'days', tau: 2, gap: null };
    expect(ofKind('permute-and-flip', models, chosen)).toEqual({ ...chosen, kind: 'permute-and-flip' });
    expect(ofKind('last-touch', models, chosen)).toEqual({ kind: 'last-touch' });
    expect(ofKind('b', [{ kind: 'b', prior: [1] }], { kind: 'a', prior: [0.5, 0.5] })).toEqual({
      ...{ kind: 'b', prior: [1] },
    });
  });

  it('are refused for a schema that no form has a field for', () => {
    expect(() => shapeOf({ type: 'boolean' })).toThrow('a form has no field for {"type":"boolean"}');
  });

  it('are named in words, not as JSON', () => {
    const { attribution } = defaultSettings;
    const [, model] = shaped;
    expect(model && valueInWords(model, { ...attribution })).toBe('Priority');
  });

  it('are named field by field if they have no kind', () => {
    const joint = shaped.find(({ path }) => path === 'budget.joint');
    const value = { epsilon: 4, reportingSite: 2 };
    expect(joint && valueInWords(joint, value)).toBe('ε: 4 and ε for one reporting site: 2');
    expect(joint && valueInWords(joint, ['a', 'b'])).toBe('a and b');
  });
});

describe('what a person entered', () => {
  it('stays when what the field sent before it is stored, and goes when another page stores something', () => {
    expect(sentAfter(['3', '4'], '3')).toEqual(['4']);
    expect(sentAfter(['3', '4'], '4')).toEqual([]);
    expect(sentAfter(['3'], '9')).toBeNull();
    expect(sentAfter([], '3')).toBeNull();
  });

  it('is stored without entries that are still empty', () => {
    expect(withoutEmptyEntries([[], ['https://ads.example'], []])).toEqual([['https://ads.example']]);
    expect(withoutEmptyEntries([{ id: '' }, 'a'])).toEqual([{ id: '' }, 'a']);
    expect(withoutEmptyEntries(null)).toBeNull();
  });

  it('is searched for numbers with separators between thousands', () => {
    expect([{ a: [1, '2,000'] }, { a: [2000, 'b'] }, null].map(hasGrouped)).toEqual([true, false, false]);
  });
});
