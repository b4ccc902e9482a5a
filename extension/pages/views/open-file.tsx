import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ScenarioError } from '../../../analysis/scenario/calls/scenario-error';
import type { Json } from '../../../src/model/json';
import { readCommentedJson } from '../../../formats/codec/commented-json';
import { t } from '../../i18n';
import { words } from '../../words';
import { unpackFile } from '../data/file-link';
import { textOfFile } from '../data/file-text';
import { useRoute } from '../state/use-route';
import { useSession } from '../state/session';
import { messageOf } from '../words/words';
import { openFile } from '../data/snapshot/open-file';
import { sampleSession } from '../data/snapshot/sample-session';
import { Card } from '../ui/basics';
import { FileField } from '../ui/file-field';

/** In sentences: more would hide what to mend first. */
const MOST_PROBLEMS = 5;

/** Opens a saved state or replays a scenario, to look at; also one that the link holds. Like the commands, it accepts `//` comments. */
export function OpenFile({ title }: { readonly title?: string }): JSX.Element {
  const { open } = useSession();
  const [problems, setProblems] = useState<readonly string[]>([]);
  const { parameters } = useRoute();
  const packed = parameters.get('file');
  const read = async (text: string): Promise<void> => {
    const { value, problem } = readCommentedJson(text);
    if (problem !== null) {
      setProblems([t('rules_not_json', { problem: words.mistakeText(problem) })]);
      return;
    }
    await show(value);
  };
  const show = async (document: Json): Promise<void> => {
    const { file, errors } = await openFile(document);
    setProblems(errors.map(words.issueSentence).slice(0, MOST_PROBLEMS));
    if (file !== null) open(file);
  };
  const orProblem = (done: Promise<void>): void =>
    void done.catch((error: unknown) => setProblems([problemOf(error)]));
  const reading = (text: Promise<string>): void => orProblem(text.then(read));
  useEffect(() => {
    if (packed !== null) reading(unpackFile(packed).then((text) => text ?? ''));
  }, [packed]);
  return (
    <Card {...(title === undefined ? {} : { title })}>
      <p>{t('data_open_what')}</p>
      <FileField
        id="open-file"
        label={t('data_file')}
        accept=".json,application/json"
        onFile={(file) => reading(textOfFile(file))}
      />
      <p>{t('data_sample_what')}</p>
      <div class="row">
        <button type="button" id="open-sample" onClick={() => orProblem(show(sampleSession()))}>
          {t('data_sample')}
        </button>
      </div>
      {problems.length > 0 && (
        <div class="banner error" role="alert" id="file-problem">
          {t('data_cannot_open', { problems: problems.join('; ') })}
        </div>
      )}
    </Card>
  );
}

const problemOf = (error: unknown): string =>
  error instanceof ScenarioError ? `${error.path}: ${error.message}` : messageOf(error);
