import { embeddedIpv4, type IpBytes, ipBytes, isInNetwork } from './ip-address.ts';

/**
 * How far an address reaches: FORBIDDEN ones (link-local, metadata services, unspecified, multicast, reserved) are never
 * called, PRIVATE ones only where the operator allows them, LOOPBACK ones in test mode too.
 */
export const AddressScope = {
  PUBLIC: 'PUBLIC',
  PRIVATE: 'PRIVATE',
  LOOPBACK: 'LOOPBACK',
  FORBIDDEN: 'FORBIDDEN',
} as const;
export type AddressScope = (typeof AddressScope)[keyof typeof AddressScope];

const forbidden = [
  '0.0.0.0/8', // "this host"
  '169.254.0.0/16', // link-local, most clouds' metadata services
  '100.100.100.200/32', // metadata of Alibaba Cloud
  '168.63.129.16/32', // platform address of Azure
  '192.0.0.192/32', // metadata of Oracle Cloud
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, broadcast
  '::/128',
  'fe80::/10', // link-local
  'fd00:ec2::254/128', // metadata of AWS
  'fd20:ce::254/128', // metadata of Google Cloud
  'ff00::/8', // multicast
].map(networkOf);

const loopback = ['127.0.0.0/8', '::1/128'].map(networkOf);

const privateNetworks = [
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '100.64.0.0/10', // shared address space of carriers and clusters
  '192.0.0.0/24',
  '198.18.0.0/15', // benchmarks
  'fc00::/7', // unique local
  'fec0::/10', // site-local, deprecated
].map(networkOf);

/** The scope of an IP address as a resolver gives it; FORBIDDEN for any other text. */
export function addressScope(address: string): AddressScope {
  const bytes = ipBytes(address);
  return bytes === undefined ? AddressScope.FORBIDDEN : scopeOf(embeddedIpv4(bytes) ?? bytes);
}

function scopeOf(bytes: IpBytes): AddressScope {
  const isIn = (networks: readonly Network[]): boolean =>
    networks.some(({ address, prefixBits }) => isInNetwork(bytes, address, prefixBits));
  if (isIn(forbidden)) return AddressScope.FORBIDDEN;
  if (isIn(loopback)) return AddressScope.LOOPBACK;
  return isIn(privateNetworks) ? AddressScope.PRIVATE : AddressScope.PUBLIC;
}

interface Network {
  readonly address: IpBytes;
  readonly prefixBits: number;
}

function networkOf(text: string): Network {
  const [address = '', bits = ''] = text.split('/');
  return { address: ipBytes(address) ?? [], prefixBits: Number(bits) };
}
