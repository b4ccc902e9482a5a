import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

/** Takes a file that is chosen, or dropped on it. */
export function FileField({
  id,
  label,
  accept,
  onFile,
}: {
  readonly id: string;
  readonly label: string;
  readonly accept: string;
  readonly onFile: (file: File) => void;
}): JSX.Element {
  const [isOver, setIsOver] = useState(false);
  const over = (event: DragEvent): void => {
    event.preventDefault();
    setIsOver(true);
  };
  const take = (files: FileList | null | undefined): void => {
    const [file] = files ?? [];
    if (file !== undefined) onFile(file);
  };
  return (
    <div
      class={isOver ? 'file-field over' : 'file-field'}
      onDragEnter={over}
      onDragOver={over}
      onDragLeave={() => setIsOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setIsOver(false);
        take(event.dataTransfer?.files);
      }}
    >
      <label for={id}>{label}</label>
      <input
        type="file"
        id={id}
        accept={accept}
        onChange={({ currentTarget }) => take(currentTarget.files)}
      />
    </div>
  );
}
