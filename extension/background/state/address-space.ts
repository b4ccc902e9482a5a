import browser from 'webextension-polyfill';
import { isLoopback } from '../../../src/model/origin';

/** 10/8, 172.16/12, 192.168/16, 169.254/16, 100.64/10, 198.18/15; fc00::/7, fe80::/10; names that only a local network knows. */
const privateHost =
  /^(10|172\.(1[6-9]|2\d|3[01])|192\.168|169\.254|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])|198\.1[89])(\.\d+)+$|^\[f([cd]|e[89ab])|^[^.[]+$|\.(local|internal|home\.arpa|lan|localdomain|intranet|private|corp|home)$/;

/** How near an address is (Local Network Access, "IP address space"): 0 on this device, 1 in a private network, 2 elsewhere. */
export type AddressSpace = 0 | 1 | 2;

/** As far as it can be read off the URL. */
export function addressSpace(url: string): AddressSpace {
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
}

/**
 * The nearest of the addresses that the URL's name leads to, as far as the browser tells: 2 in Chrome, and for a name that cannot be
 * resolved here, as behind some proxies.
 */
async function resolvedSpace(url: string): Promise<AddressSpace> {
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

/**
 * As `fetch`, for what somebody else asks for. An extension's requests are not subject to Local Network Access, so this asks neither a URL nor
 * a name that leads nearer to the device than `space`, as far as the browser tells. Redirects are not followed unless the caller checks them.
 * @returns null if it leads nearer
 */
export async function fetchFrom(
  space: AddressSpace,
  url: string,
  init: RequestInit & { readonly signal: AbortSignal; readonly redirect: 'manual' | 'error' },
): Promise<Response | null> {
  if (addressSpace(url) < space) return null;
  if ((await Promise.race([resolvedSpace(url), abortionOf(init.signal)])) < space) return null;
  return fetch(url, { ...init, ...(space === 2 ? PUBLIC_ONLY : {}) });
}

/** Chrome sends nothing if the name leads elsewhere (Local Network Access, `targetAddressSpace`). TypeScript does not know the option. */
const PUBLIC_ONLY = { targetAddressSpace: 'public' } as RequestInit;

/** Rejects when it is aborted. A name may take as long to be resolved as its server likes. */
const abortionOf = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    signal.throwIfAborted();
    signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true });
  });
