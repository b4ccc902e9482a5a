import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** Where the person is in a text; null while they are elsewhere. */
export type Caret = { current: { readonly anchor: number; readonly head: number } | null };

export interface EditorProps {
  readonly id: string;
  readonly label: string;
  readonly text: string;
  readonly onChange: (text: string) => void;
  /** Handed over from the plain editor to the one that takes its place. */
  readonly caret: Caret;
}

/** An editor that is there at once, until the code of the other one is. */
export function PlainEditor({ id, label, text, onChange, caret }: EditorProps): JSX.Element {
  const field = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(
    () => () => {
      const element = field.current;
      if (element !== null && document.activeElement === element)
        caret.current = { anchor: element.selectionStart, head: element.selectionEnd };
    },
    [],
  );
  return (
    <textarea
      ref={field}
      id={`${id}-plain`}
      class="editor-text"
      aria-label={label}
      spellcheck={false}
      value={text}
      onInput={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}
