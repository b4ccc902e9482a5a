import { addOwnLine, readOwnLines } from '../../../node/own-lines';

/** Does what a first run does, for each of the files that it is sent: looks for lines of an earlier run, and adds one. */
process.on('message', ({ files, line }: { files: readonly string[]; line: string }) => {
  const found = files.map((file) => {
    const before = readOwnLines(file);
    addOwnLine(file, line);
    return before;
  });
  process.send?.(found);
});
