import browser from 'webextension-polyfill';
import { rememberedByText } from '../../src/model/remembered';
import { isLoopback } from '../../src/parsing/origin';

/** 10/8, 172.16/12, 192.168/16, 169.254/16, 100.64/10, 198.18/15; fc00::/7, fe80::/10; names that only a local network knows. */
const privateHost =
  /^(10|172\.(1[6-9]|2\d|3[01])|192\.168|169\.254|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])|198\.1[89])(\.\d+)+$|^\[f([cd]|e[89ab])|^[^.[]+$|\.(local|internal|home\.arpa|lan|localdomain|intranet|private|corp|home)$/;

/** How near an address is (Local Network Access, "IP address space"): 0 on this device, 1 in a private network, 2 elsewhere. */
export type AddressSpace = 0 | 1 | 2;

/** As far as it can be read off the URL. A flood asks for the same few pages and servers again and again. */
export const addressSpace = rememberedByText((url: string): AddressSpace => {
  const { hostname } = new URL(url);
  const bytes =
    /^\[::ffff:([\da-f]+):([\da-f]+)\]$/
      .exec(hostname)
      ?.slice(1)
      .map((part) => parseInt(part, 16)) ?? [];
  // An IPv4 address in IPv6 form.
  const host = bytes.length === 0 ? hostname : bytes.map((part) => `${part >> 8}.${part & 255}`).join('.');
  if (isLoopback(host) || /^0(\.\d+){3}$|^\[::\]$/.test(host)) return 0;
  return privateHost.test(host.replace(/\.$/, '')) ? 1 : 2;
});

/**
 * The nearest of the addresses that the URL's name leads to, as far as the browser tells: 2 in Chrome, and for a name that cannot be
 * resolved here, as behind some proxies.
 */
export async function resolvedSpace(url: string): Promise<AddressSpace> {
  const { hostname } = new URL(url);
  const { dns } = browser as { readonly dns?: typeof browser.dns };
  if (dns === undefined || hostname.startsWith('[')) return addressSpace(url);
  const { addresses } = await dns.resolve(hostname).catch(() => ({ addresses: [] }));
  return addresses
    .map((address) =>
      addressSpace(`http://${address.includes(':') ? `[${address.replace(/%.*/, '')}]` : address}`),
    )
    .reduce<AddressSpace>((a, b) => (a < b ? a : b), 2);
}
