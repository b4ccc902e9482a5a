import { execFileSync } from 'node:child_process';

/** A key and a certificate that it signed itself, as PEM. @param name whom it is for */
export function selfSigned(name: string): { readonly key: string; readonly cert: string } {
  const attributes = JSON.stringify([{ name: 'commonName', value: name }]);
  // Jest cannot parse a dependency of `selfsigned`.
  const program = `require('selfsigned').generate(${attributes}).then((pair) => console.log(JSON.stringify(pair)))`;
  const { private: key, cert } = JSON.parse(
    execFileSync(process.execPath, ['-e', program], { encoding: 'utf8' }),
  ) as { readonly private: string; readonly cert: string };
  return { key, cert };
}
