declare module 'pgpass' {
  /** Looks a server's password up in the file that PGPASSFILE names, or else in `~/.pgpass`. */
  export default function pgpass(
    connection: {
      readonly host: string;
      readonly port: number;
      readonly database?: string | undefined;
      readonly user?: string | undefined;
    },
    done: (password: string | undefined) => void,
  ): void;
}
