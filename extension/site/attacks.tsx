import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { Attack, AttackTrial } from '../../analysis/attack/attack';
import { attacks } from '../../analysis/attack/attacks';
import { reconstruction } from '../../analysis/attack/reconstruction';
import { seededRandomSource } from '../../analysis/random/sources';
import { t } from '../i18n';
import { Card } from '../pages/ui/basics';
import { showDecimal } from '../pages/words/words';
import { AttackSuccess } from './attack-success';
import { Slider } from './slider';
import { TableHead } from '../../ui/table-head';
import { LabelledSelect } from '../../ui/select';
import { Checkbox } from '../../ui/checkbox';

const [FIRST = ''] = Object.keys(attacks);
/** The slider's. */
const [LEAST, MOST] = [0.25, 16];

/** Guesses of secrets from noisy answers, and how often they are right. */
export function Attacks(): JSX.Element {
  const [name, setName] = useState(FIRST);
  const [chosen, setChosen] = useState(2);
  const [isNoiseless, setNoiseless] = useState(false);
  const [draw, setDraw] = useState(0);
  const attack = attacks[name] ?? reconstruction;
  const epsilon = isNoiseless ? null : chosen;
  const trial = useMemo(
    // The same secrets while ε changes.
    () => attack.trial(epsilon, seededRandomSource(`draw ${draw}`, 0)),
    [attack, epsilon, draw],
  );
  return (
    <>
      <h1>{t('attacks')}</h1>
      <Card>
        <LabelledSelect
          id="attack-name"
          label={t('attack_choice')}
          of={Object.keys(attacks).map((one) => [one, t('attack_is', { attack: one })])}
          value={name}
          onChoose={setName}
        />
        <p>{t('attack_what', { attack: name })}</p>
        <Slider
          id="attack-epsilon"
          label={t('attack_epsilon', { attack: name })}
          min={LEAST}
          max={MOST}
          step={0.25}
          value={chosen}
          onChange={(value) => {
            setChosen(value);
            setNoiseless(false);
          }}
        />
        <Checkbox id="attack-noiseless" checked={isNoiseless} onChange={setNoiseless}>
          {t('attack_noiseless')}
        </Checkbox>
      </Card>
      <Card title={t('attack_trial')}>
        <Tables trial={trial} />
        <div class="row">
          <button type="button" class="primary" id="attack-again" onClick={() => setDraw(draw + 1)}>
            {t('attack_again')}
          </button>
        </div>
      </Card>
      <AttackSuccess name={name} attack={attack} epsilon={epsilon} />
    </>
  );
}

/** What the attacker sees in one draw, and guesses. */
const Tables = ({ trial: { tables } }: { readonly trial: AttackTrial }): JSX.Element => (
  <div class="attack-tables">
    {tables.map(({ title, columns, rows }) => (
      <div
        key={title}
        class="scroll-x"
        tabIndex={0}
        role="region"
        aria-label={t('attack_table', { table: title })}
      >
        <table class="attack" id={`attack-${title}`}>
          <caption>{t('attack_table', { table: title })}</caption>
          <TableHead of={columns.map((column) => t('attack_column', { column }))} />
          <tbody>
            {rows.map((row, index) => (
              <tr key={index}>
                {row.map((cell, place) => (
                  <td key={place} class={typeof cell === 'number' ? 'number' : undefined}>
                    {shown(cell, columns[place])}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    ))}
  </div>
);

/** Columns whose numbers are probabilities. */
const PROBABILITIES = new Set(['belief', 'small_model', 'large_model']);

type Cell = ReturnType<Attack['trial']>['tables'][number]['rows'][number][number];

function shown(cell: Cell, column: string | undefined): string {
  if (typeof cell === 'string') return t('attack_word', { word: cell });
  if (typeof cell !== 'number') return cell.map((word) => t('attack_word', { word })).join(', ');
  return PROBABILITIES.has(column ?? '')
    ? t('attribution_percent', { number: showDecimal(cell * 100, 3) })
    : showDecimal(cell);
}
