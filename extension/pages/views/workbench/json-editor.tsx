import { autocompletion, completionKeymap, type CompletionContext } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language';
import { lintKeymap, setDiagnostics } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import { EditorView, keymap } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Issue } from '../../../../formats/codec/mistakes';
import { rangeOf, type Completions } from '../../explain/fields';
import { t } from '../../../i18n';
import { words } from '../../../words';
import type { EditorProps } from './plain-editor';

interface JsonEditorProps extends EditorProps {
  readonly errors: readonly Issue[];
  readonly warnings: readonly Issue[];
  readonly completionsAt: (text: string, offset: number) => Completions | null;
}

/** A text field for JSON that completes names and marks mistakes in place. Tab leaves it, as in any field. */
export function JsonEditor(props: JsonEditorProps): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const latest = useRef(props);
  latest.current = props;
  const { text, errors, warnings } = props;
  useLayoutEffect(() => {
    const { text: doc, caret } = latest.current;
    const made = new EditorView({
      ...(place.current === null ? {} : { parent: place.current }),
      state: EditorState.create({
        doc,
        extensions: extensions(latest),
        ...(caret.current === null ? {} : { selection: caret.current }),
      }),
    });
    view.current = made;
    if (caret.current !== null) made.focus();
    caret.current = null;
    return () => made.destroy();
  }, []);
  // Before the next key press: an effect that waits for the paint would put an older text over what was typed since.
  useLayoutEffect(() => {
    const current = view.current;
    if (current === null) return;
    const { length } = current.state.doc;
    if (current.state.doc.toString() !== text)
      current.dispatch({ changes: { from: 0, to: length, insert: text } });
    current.dispatch(
      setDiagnostics(current.state, [
        ...diagnostics(text, 'error', errors),
        ...diagnostics(text, 'warning', warnings),
      ]),
    );
  }, [text, errors, warnings]);
  return <div ref={place} class="editor" />;
}

const phrases = {
  Completions: t('ui_editor_completions'),
  Diagnostics: t('ui_editor_diagnostics'),
  'No diagnostics': t('ui_editor_no_diagnostics'),
  close: t('ui_editor_close'),
  'Selection deleted': t('ui_editor_selection_deleted'),
};

const extensions = (latest: { readonly current: JsonEditorProps }) => [
  EditorState.phrases.of(phrases),
  json(),
  history(),
  indentOnInput(),
  bracketMatching(),
  syntaxHighlighting(highlighting),
  EditorView.lineWrapping,
  EditorView.contentAttributes.of({
    id: latest.current.id,
    'aria-label': latest.current.label,
    spellcheck: 'false',
  }),
  autocompletion({ override: [(context) => complete(latest.current, context)], icons: false }),
  keymap.of([...completionKeymap, ...lintKeymap, ...historyKeymap, ...defaultKeymap]),
  EditorView.updateListener.of(({ docChanged, state }) => {
    const text = state.doc.toString();
    if (docChanged && text !== latest.current.text) latest.current.onChange(text);
  }),
];

/** The colours of the pages, light and dark. */
const highlighting = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--accent)' },
  { tag: tags.string, color: 'var(--good)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--warn)' },
]);

function complete({ completionsAt }: JsonEditorProps, { state, pos, explicit }: CompletionContext) {
  const found = completionsAt(state.doc.toString(), pos);
  if (found === null || found.options.length === 0) return null;
  if (!explicit && found.from === pos) return null;
  const typed = state.sliceDoc(found.from, pos).replaceAll('"', '');
  const begins = ({ label }: { readonly label: string }): number => Number(label.startsWith(typed));
  return {
    from: found.from,
    to: found.to,
    // The editor would also match the quote, which the names lack.
    filter: false,
    options: found.options
      .filter(({ label }) => label.includes(typed))
      .sort((a, b) => begins(b) - begins(a))
      .map(({ label, detail, insert }) => ({ label, detail, apply: insert })),
  };
}

const diagnostics = (text: string, severity: 'error' | 'warning', issues: readonly Issue[]) =>
  issues.map((issue) => ({ ...rangeOf(text, issue.path), severity, message: words.issueSentence(issue) }));
