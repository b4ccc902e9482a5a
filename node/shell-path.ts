const PLAIN = /^[\w@%+:,./][\w@%+:,./-]*$/;
const CONTROL = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u;

/** The name of a file as one word of a shell's command line. It never begins like an option and contains no control characters. */
export function shellPath(file: string): string {
  if (PLAIN.test(file)) return file;
  const name = file.startsWith('-') ? `./${file}` : file;
  return CONTROL.test(name) ? dollarQuoted(name) : `'${name.replaceAll("'", String.raw`'\''`)}'`;
}

/** POSIX.1-2024, 2.2.4. */
const dollarQuoted = (name: string): string =>
  `$'${[...new TextEncoder().encode(name)]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      return /[\w@%+:,./ -]/.test(character) ? character : `\\${byte.toString(8).padStart(3, '0')}`;
    })
    .join('')}'`;
